package io.jdm.testing;

import static io.jdm.testing.Bytes.pattern;
import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A disk like others while there is power, and one that loses just what it may after a cut. */
class VolatileCacheDeviceTest extends BlockDeviceContract {
  private static final int SECTOR = 512;
  private static final int CUTS = 500;

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) {
    return VolatileCacheDevice.of(content, SECTOR);
  }

  @Override
  protected boolean liesOnAnotherDevice() {
    return false;
  }

  @Test
  void aPowerCutLosesNothingThatWasFlushedAndMayLoseTheRest() throws IOException {
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(16 * SECTOR, SECTOR);
    disk.write(0, pattern(1, 8 * SECTOR));
    disk.flush();
    assertThat(disk.unflushedWrites()).isZero();
    disk.write(4 * SECTOR, pattern(2, 8 * SECTOR));
    disk.writeFua(15 * SECTOR, pattern(3, SECTOR));
    assertThat(disk.unflushedWrites()).isEqualTo(1);

    BitSet survivors = new BitSet();
    for (int seed = 0; seed < CUTS; seed++) {
      byte[] left = disk.afterPowerCut(new Random(seed));
      assertThat(Arrays.copyOf(left, 4 * SECTOR)).containsOnly(1);
      assertThat(Arrays.copyOfRange(left, 15 * SECTOR, 16 * SECTOR)).containsOnly(3);
      int mask = 0;
      for (int sector = 4; sector < 12; sector++) {
        byte[] bytes = Arrays.copyOfRange(left, sector * SECTOR, (sector + 1) * SECTOR);
        assertThat(bytes).as("seed %d: sectors are not torn", seed).containsOnly(bytes[0]);
        assertThat(bytes[0]).isIn((byte) (sector < 8 ? 1 : 0), (byte) 2);
        mask = 2 * mask + (bytes[0] == 2 ? 1 : 0);
      }
      survivors.set(mask);
    }
    assertThat(survivors.get(0)).as("all of it can be lost").isTrue();
    assertThat(survivors.get(255)).as("all of it can survive").isTrue();
    assertThat(survivors.get(0b11110000)).as("or its beginning").isTrue();
    assertThat(survivors.cardinality()).as("or any part").isGreaterThan(50);
    assertThat(disk.current()).startsWith(1).contains(2, 5 * SECTOR);
  }

  @Test
  void unflushedWritesSurviveInAnyOrder() throws IOException {
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(SECTOR, SECTOR);
    disk.write(0, pattern(1, SECTOR));
    disk.write(0, pattern(2, SECTOR));
    boolean[] seen = new boolean[3];
    for (int seed = 0; seed < CUTS; seed++) {
      seen[disk.afterPowerCut(new Random(seed))[0]] = true;
    }
    assertThat(seen).containsOnly(true);
  }

  @Test
  void nothingOlderComesBackOverWhatIsStable() throws IOException {
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(4 * SECTOR, SECTOR);
    disk.write(0, pattern(1, 4 * SECTOR));
    disk.writeFua(SECTOR, pattern(2, SECTOR));
    for (int seed = 0; seed < CUTS; seed++) {
      byte[] left = disk.afterPowerCut(new Random(seed));
      assertThat(Arrays.copyOfRange(left, SECTOR, 2 * SECTOR)).containsOnly(2);
    }
  }
}
