package io.jdm.crypt.kdf;

import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/** Argon2 in Java: works everywhere, with its memory in the heap and one thread for all lanes. */
final class BouncyCastleArgon2 implements Argon2Function {
  @Override
  public String name() {
    return "bouncycastle";
  }

  @Override
  public long availableMib() {
    Runtime runtime = Runtime.getRuntime();
    long used = runtime.totalMemory() - runtime.freeMemory();
    return (runtime.maxMemory() - used) >> 20;
  }

  @Override
  public String memoryKind() {
    return "of the Java heap (-Xmx raises it)";
  }

  @Override
  public void derive(Argon2.Type type, byte[] password, byte[] salt, Argon2.Cost cost, byte[] out) {
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(
                type == Argon2.Type.ARGON2I
                    ? Argon2Parameters.ARGON2_i
                    : Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withIterations(cost.passes())
            .withMemoryAsKB(cost.memoryKib())
            .withParallelism(cost.lanes())
            .withSalt(salt)
            .build());
    generator.generateBytes(password, out);
  }
}
