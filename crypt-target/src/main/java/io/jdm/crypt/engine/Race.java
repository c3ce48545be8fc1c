package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the fastest of several engines for an algorithm on this machine, in some 20 ms. The process
 * may have just started, when Java code is still interpreted: so the engines run in turn, which
 * lets compilation catch up with all of them, and the best request of each counts.
 */
final class Race implements AutoCloseable {
  /** What one worker takes at a time, in bytes. */
  private static final int REQUEST = 64 * 1024;

  private static final int PAGE = 4096;
  private static final long TURN_NANOS = 1_000_000;
  private static final long TOTAL_NANOS = 20_000_000;

  private final Engine engine;
  private final SectorCipher cipher;
  private final ByteBuffer buffer;
  private final byte[] ivs;
  private long best = Long.MAX_VALUE;

  private Race(Engine engine, SectorAlgorithm algorithm) throws EngineException {
    this.engine = engine;
    try (KeyMaterial key = KeyMaterial.random(algorithm.keySize())) {
      cipher = engine.sectorCipher(algorithm, key);
    }
    buffer =
        cipher.prefersDirect()
            ? ByteBuffer.allocateDirect(REQUEST + PAGE).alignedSlice(PAGE)
            : ByteBuffer.allocate(REQUEST);
    int ivSize = Ciphers.ivSize(algorithm.cipher(), algorithm.mode());
    ivs = new byte[REQUEST / algorithm.sectorSize() * ivSize];
    for (int i = 0; i < ivs.length; i += ivSize) {
      ivs[i] = (byte) (i / ivSize);
    }
  }

  /**
   * Races.
   *
   * @param candidates at least one, all having the algorithm
   * @throws EngineException if one of them fails
   */
  static Engine winner(List<Engine> candidates, SectorAlgorithm algorithm) throws EngineException {
    List<Race> runners = new ArrayList<>();
    try {
      for (Engine candidate : candidates) {
        runners.add(new Race(candidate, algorithm));
      }
      long end = System.nanoTime() + TOTAL_NANOS;
      while (System.nanoTime() < end) {
        for (Race runner : runners) {
          runner.turn();
        }
      }
    } catch (EngineException e) {
      throw e;
    } catch (IOException e) {
      throw new EngineException("an engine fails while it is measured: " + e.getMessage(), e);
    } finally {
      runners.forEach(Race::close);
    }
    Race first = runners.get(0);
    for (Race runner : runners) {
      first = runner.best < first.best ? runner : first;
    }
    return first.engine;
  }

  private void turn() throws IOException {
    long start = System.nanoTime();
    long end = start + TURN_NANOS;
    while (start < end) {
      cipher.encrypt(ivs, buffer, 0, buffer, 0, REQUEST);
      cipher.decrypt(ivs, buffer, 0, buffer, 0, REQUEST);
      long now = System.nanoTime();
      best = Math.min(best, now - start);
      start = now;
    }
  }

  @Override
  public void close() {
    cipher.close();
  }
}
