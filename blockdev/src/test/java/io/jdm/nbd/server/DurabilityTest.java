package io.jdm.nbd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.nbd.Served;
import io.jdm.nbd.client.NbdDevice;
import io.jdm.testing.Threads;
import io.jdm.testing.VolatileCacheDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Power cuts under a server at work: what was flushed, or written with FUA, is there afterwards.
 * Several clients write to areas of their own; each keeps a version number in every sector, so that
 * a disk tells which versions survived.
 */
@Timeout(120)
class DurabilityTest {
  private static final long SEED = 20261130;
  private static final int SECTOR = 512;
  private static final int CLIENTS = 3;
  private static final int SECTORS = 64;
  private static final int SIZE = CLIENTS * SECTORS * SECTOR;
  private static final int CUTS = 200;

  /** What one client did to its sectors, by version number. */
  private static final class Area {
    final int first;
    final int[] written = new int[SECTORS];
    final int[] safe = new int[SECTORS];
    int version;

    Area(int client) {
      first = client * SECTORS;
    }

    void step(BlockDevice device, RandomGenerator random) throws IOException {
      int from = random.nextInt(SECTORS);
      int count = 1 + random.nextInt(Math.min(8, SECTORS - from));
      switch (random.nextInt(6)) {
        case 0 -> {
          device.flush();
          makeSafe(0, SECTORS);
        }
        case 1 -> {
          device.writeFua((long) (first + from) * SECTOR, sectors(++version, count));
          Arrays.fill(written, from, from + count, version);
          makeSafe(from, count);
        }
        default -> {
          device.write((long) (first + from) * SECTOR, sectors(++version, count));
          Arrays.fill(written, from, from + count, version);
        }
      }
    }

    private synchronized void makeSafe(int from, int count) {
      System.arraycopy(written, from, safe, from, count);
    }

    /** Which versions can no longer be lost. */
    synchronized int[] safe() {
      return safe.clone();
    }

    private static ByteBuffer sectors(int version, int count) {
      ByteBuffer buffer = ByteBuffer.allocate(count * SECTOR);
      while (buffer.hasRemaining()) {
        buffer.putInt(version);
      }
      return buffer.flip();
    }

    /** How many sectors are older than they may be. */
    int lost(byte[] disk, int[] safe) {
      ByteBuffer content = ByteBuffer.wrap(disk);
      int lost = 0;
      for (int i = 0; i < SECTORS; i++) {
        if (content.getInt((first + i) * SECTOR) < safe[i]) {
          lost++;
        }
      }
      return lost;
    }
  }

  /**
   * Runs clients over a server, all at the same time, and cuts the power again and again while they
   * do.
   *
   * @return sectors lost in the first cut that loses any
   */
  private static int lostInPowerCuts(boolean forces) throws Exception {
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(SIZE, SECTOR);
    Area[] areas = new Area[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
      areas[i] = new Area(i);
    }
    AtomicInteger steps = new AtomicInteger();
    AtomicInteger lost = new AtomicInteger();
    AtomicBoolean over = new AtomicBoolean();
    try (Served served = Served.device(forces ? disk : new Forgetful(disk))) {
      Threads.runTogether(
          CLIENTS + 1,
          thread -> {
            if (thread == CLIENTS) {
              try {
                lost.set(cutPower(disk, areas, steps));
              } finally {
                over.set(true);
              }
              return;
            }
            Random random = new Random(SEED + thread);
            try (NbdDevice device = NbdDevice.open(served.uri(), true)) {
              while (!over.get()) {
                areas[thread].step(device, random);
                steps.incrementAndGet();
              }
            }
          });
    }
    return lost.get();
  }

  /** Cuts the power at random moments, but some steps apart, until one loses sectors. */
  private static int cutPower(VolatileCacheDevice disk, Area[] areas, AtomicInteger steps) {
    Random random = new Random(SEED);
    int lost = 0;
    for (int cut = 0; cut < CUTS && lost == 0; cut++) {
      int next = steps.get() + random.nextInt(12);
      while (steps.get() < next) {
        Thread.onSpinWait();
      }
      int[][] safe = new int[areas.length][];
      for (int i = 0; i < areas.length; i++) {
        safe[i] = areas[i].safe();
      }
      byte[] left = disk.afterPowerCut(random);
      for (int i = 0; i < areas.length; i++) {
        lost += areas[i].lost(left, safe[i]);
      }
    }
    return lost;
  }

  /** A device as a server without force() would treat it. */
  private static final class Forgetful extends LayerDevice {
    Forgetful(BlockDevice below) {
      super(below);
    }

    @Override
    protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
      below.write(offset, src);
    }

    @Override
    protected void doFlush() {}

    @Override
    public String describe() {
      return "forgetful " + below.describe();
    }
  }

  @Test
  void nothingThatWasFlushedOrForcedIsLostInAPowerCut() throws Exception {
    assertThat(lostInPowerCuts(true)).as("seed %d", SEED).isZero();
  }

  @Test
  void aServerThatDoesNotForceWouldBeFound() throws Exception {
    assertThat(lostInPowerCuts(false)).as("seed %d", SEED).isPositive();
  }
}
