package io.jdm.crypt.kdf;

import de.mkammerer.argon2.Argon2Factory;
import de.mkammerer.argon2.Argon2Factory.Argon2Types;
import java.util.Arrays;

/** The reference library, which argon2-jvm brings: native speed, a thread a lane, no heap. */
final class NativeArgon2 implements Argon2Function {
  @Override
  public String name() {
    return "libargon2";
  }

  @Override
  public long availableMib() {
    return SystemMemory.availableMib();
  }

  @Override
  public String memoryKind() {
    return "of this machine or container";
  }

  @Override
  public void derive(Argon2.Type type, byte[] password, byte[] salt, Argon2.Cost cost, byte[] out) {
    Argon2Types types = type == Argon2.Type.ARGON2I ? Argon2Types.ARGON2i : Argon2Types.ARGON2id;
    try {
      byte[] hash =
          Argon2Factory.createAdvanced(types, salt.length, out.length)
              .rawHash(cost.passes(), cost.memoryKib(), cost.lanes(), password, salt);
      System.arraycopy(hash, 0, out, 0, out.length);
      Arrays.fill(hash, (byte) 0);
    } catch (IllegalStateException e) {
      // The parameters are good, so that only memory can have failed it.
      throw new OutOfMemoryError("libargon2: " + e.getMessage());
    }
  }
}
