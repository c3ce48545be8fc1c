package io.jdm.cli.command;

import io.jdm.crypt.kdf.Argon2;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.kdf.Pbkdf2;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.KeyslotCost;
import java.io.IOException;

/** Finds the cost that takes a given time on this machine. */
final class KdfMeasure {
  /** Long enough for the JIT compiler and the clock. */
  private static final long SAMPLE_NANOS = 250_000_000;

  private static final int SALT_SIZE = 32;
  private static final int FIRST_ITERATIONS = 1 << 14;
  private static final int FIRST_MEMORY_KIB = 1 << 16;

  private KdfMeasure() {}

  /**
   * Iterations of PBKDF2.
   *
   * @param keySize bytes that are derived
   */
  static KeyslotCost pbkdf2(String hash, int keySize, int milliseconds) throws IOException {
    long iterations = FIRST_ITERATIONS;
    long nanos = timePbkdf2(hash, keySize, iterations);
    while (nanos < SAMPLE_NANOS) {
      iterations *= 2;
      nanos = timePbkdf2(hash, keySize, iterations);
    }
    double wanted = iterations * (milliseconds * 1e6 / nanos);
    return KeyslotCost.pbkdf2(
        hash, (int) Math.max(KeyslotCost.MIN_ITERATIONS, Math.min(Integer.MAX_VALUE, wanted)));
  }

  private static long timePbkdf2(String hash, int keySize, long iterations) throws IOException {
    try (KeyMaterial password = KeyMaterial.copyOf(new byte[8])) {
      long start = System.nanoTime();
      Pbkdf2.derive(hash, password, new byte[SALT_SIZE], iterations, keySize, KdfMonitor.NONE)
          .close();
      return System.nanoTime() - start;
    }
  }

  /**
   * Memory up to a limit at the fewest passes; where that is reached too soon, more passes.
   *
   * @param maxMemoryKib of the result
   */
  static Argon2.Cost argon2(int maxMemoryKib, int lanes, int milliseconds) throws IOException {
    int memory = Math.min(FIRST_MEMORY_KIB, maxMemoryKib);
    int passes = KeyslotCost.MIN_PASSES;
    timeArgon2(new Argon2.Cost(passes, memory, lanes));
    double perKib = (double) timeArgon2(new Argon2.Cost(passes, memory, lanes)) / passes / memory;
    double wanted = milliseconds * 1e6 / perKib / passes;
    if (wanted <= maxMemoryKib) {
      return new Argon2.Cost(passes, (int) Math.max(memory, wanted), lanes);
    }
    return new Argon2.Cost(
        (int) Math.max(passes, wanted * passes / maxMemoryKib), maxMemoryKib, lanes);
  }

  private static long timeArgon2(Argon2.Cost cost) throws IOException {
    try (KeyMaterial password = KeyMaterial.copyOf(new byte[8])) {
      long start = System.nanoTime();
      Argon2.derive(
              Argon2.Type.ARGON2ID, password, new byte[SALT_SIZE], cost, SALT_SIZE, KdfMonitor.NONE)
          .close();
      return System.nanoTime() - start;
    }
  }
}
