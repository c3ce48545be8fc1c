package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Finds the fastest of several engines in a few milliseconds: enough to tell a native XTS from a
 * composed one, not to publish. An engine in Java is measured before its code is compiled, which
 * makes it look slow; natives are the faster ones anyway.
 */
final class Calibration {
  private static final int PIECE = 16 * 1024;
  private static final long BUDGET_NANOS = 2_000_000;

  private Calibration() {}

  /** The fastest at encrypting and decrypting; the first of the list if none can be measured. */
  static Engine fastest(List<Engine> engines, SectorAlgorithm algorithm) {
    Engine best = engines.get(0);
    long least = Long.MAX_VALUE;
    for (Engine engine : engines) {
      long nanos = nanosForPiece(engine, algorithm, least);
      if (nanos < least) {
        best = engine;
        least = nanos;
      }
    }
    return best;
  }

  /** The best time of a piece both ways; given up early if one is twice as slow as the limit. */
  private static long nanosForPiece(Engine engine, SectorAlgorithm algorithm, long limit) {
    byte[] ivs =
        new byte
            [Ciphers.ivSize(algorithm.cipher(), algorithm.mode())
                * (PIECE / algorithm.sectorSize())];
    try (KeyMaterial key = KeyMaterial.random(algorithm.keySize());
        SectorCipher cipher = engine.sectorCipher(algorithm, key)) {
      ByteBuffer data =
          cipher.prefersDirect() ? ByteBuffer.allocateDirect(PIECE) : ByteBuffer.allocate(PIECE);
      long best = Long.MAX_VALUE;
      long end = System.nanoTime() + BUDGET_NANOS;
      for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
        cipher.encrypt(ivs, data, 0, data, 0, PIECE);
        cipher.decrypt(ivs, data, 0, data, 0, PIECE);
        best = Math.min(best, System.nanoTime() - start);
        if (best / 2 > limit) {
          break;
        }
      }
      return best;
    } catch (IOException e) {
      return Long.MAX_VALUE;
    }
  }

  /** Bytes per second one way, from a piece both ways. */
  static double bytesPerSecond(Engine engine, SectorAlgorithm algorithm) {
    return 2e9 * PIECE / nanosForPiece(engine, algorithm, Long.MAX_VALUE);
  }
}
