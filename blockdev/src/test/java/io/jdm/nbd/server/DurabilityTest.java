package io.jdm.nbd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.nbd.Served;
import io.jdm.nbd.client.NbdDevice;
import io.jdm.testing.VolatileCacheDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Power cuts under a server: what was flushed, or written with FUA, is there afterwards. Several
 * clients write to areas of their own; each keeps a version number in every sector, so that a disk
 * tells which versions survived.
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
          System.arraycopy(written, 0, safe, 0, SECTORS);
        }
        case 1 -> {
          device.writeFua((long) (first + from) * SECTOR, sectors(++version, count));
          Arrays.fill(written, from, from + count, version);
          Arrays.fill(safe, from, from + count, version);
        }
        default -> {
          device.write((long) (first + from) * SECTOR, sectors(++version, count));
          Arrays.fill(written, from, from + count, version);
        }
      }
    }

    private static ByteBuffer sectors(int version, int count) {
      ByteBuffer buffer = ByteBuffer.allocate(count * SECTOR);
      while (buffer.hasRemaining()) {
        buffer.putInt(version);
      }
      return buffer.flip();
    }

    /** How many sectors are older than they may be. */
    int lost(byte[] disk) {
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

  /** Runs clients over a server and cuts the power again and again; lost sectors in all. */
  private static int lostInPowerCuts(boolean forces) throws IOException {
    Random random = new Random(SEED);
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(SIZE, SECTOR);
    int lost = 0;
    try (Served served = Served.device(forces ? disk : new Forgetful(disk))) {
      NbdDevice[] devices = new NbdDevice[CLIENTS];
      Area[] areas = new Area[CLIENTS];
      for (int i = 0; i < CLIENTS; i++) {
        devices[i] = NbdDevice.open(served.uri(), true);
        areas[i] = new Area(i);
      }
      for (int cut = 0; cut < CUTS; cut++) {
        for (int step = random.nextInt(12); step >= 0; step--) {
          int client = random.nextInt(CLIENTS);
          areas[client].step(devices[client], random);
        }
        byte[] left = disk.afterPowerCut(random);
        for (Area area : areas) {
          lost += area.lost(left);
        }
      }
      for (NbdDevice device : devices) {
        device.close();
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
  void nothingThatWasFlushedOrForcedIsLostInAPowerCut() throws IOException {
    assertThat(lostInPowerCuts(true)).as("seed %d", SEED).isZero();
  }

  @Test
  void aServerThatDoesNotForceWouldBeFound() throws IOException {
    assertThat(lostInPowerCuts(false)).as("seed %d", SEED).isPositive();
  }
}
