package io.jdm.mapper.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.layer.CountingDevice;
import io.jdm.blockdev.layer.FailingDevice;
import io.jdm.blockdev.layer.Fault;
import io.jdm.blockdev.layer.Operation;
import io.jdm.mapper.Disks;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StripedTargetTest {
  private final Disks disks = new Disks();

  /** Position = offset[stripe] + (c / n) * chunk + off: every sector, with an odd chunk. */
  @Test
  void sectorsLieWhereTheSpecSays() throws Exception {
    int chunk = 3;
    int stripes = 3;
    int sectors = 90;
    BlockDevice[] disk = new BlockDevice[stripes];
    for (int i = 0; i < stripes; i++) {
      disk[i] = disks.add("d" + i, 64 * 512);
    }
    try (Mapped mapped = new Mapped(disks, "0 90 striped 3 3 disk:d0 5 disk:d1 0 disk:d2 34")) {
      byte[] data = new byte[sectors * 512];
      for (int i = 0; i < data.length; i++) {
        data[i] = (byte) (i / 512);
      }
      mapped.write(0, data);
      long[] offsets = {5, 0, 34};
      for (int sector = 0; sector < sectors; sector++) {
        int c = sector / chunk;
        long at = offsets[c % stripes] + (long) (c / stripes) * chunk + sector % chunk;
        assertThat(Mapped.read(disk[c % stripes], at * 512, 512))
            .as("sector %d", sector)
            .containsOnly(sector);
      }
      assertThat(mapped.status()).isEqualTo("3 disk:d0 disk:d1 disk:d2 1 AAA");
    }
  }

  @Test
  void discardsAndZeroesReachEveryStripeOnceWithExactlyItsPart() throws Exception {
    CountingDevice[] disk = new CountingDevice[3];
    for (int i = 0; i < 3; i++) {
      disks.add("d" + i, 400 * 512);
      disk[i] = disks.wrap("d" + i, CountingDevice::of);
    }
    Random random = new Random(3);
    try (Mapped mapped = new Mapped(disks, "0 1080 striped 3 4 disk:d0 0 disk:d1 40 disk:d2 0")) {
      byte[] model = new byte[1080 * 512];
      for (int round = 0; round < 60; round++) {
        Arrays.fill(model, (byte) 1);
        mapped.write(0, model);
        int start = random.nextInt(1080);
        int length = 1 + random.nextInt(1080 - start);
        long before = total(disk, Operation.DISCARD) + total(disk, Operation.WRITE_ZEROES);
        if (round % 2 == 0) {
          mapped.device.discard(start * 512L, length * 512L);
        } else {
          mapped.device.writeZeroes(start * 512L, length * 512L);
        }
        Arrays.fill(model, start * 512, (start + length) * 512, (byte) 0);
        assertThat(mapped.read(0, model.length))
            .as("%d sectors at %d", length, start)
            .isEqualTo(model);
        assertThat(total(disk, Operation.DISCARD) + total(disk, Operation.WRITE_ZEROES) - before)
            .isBetween(1L, 3L);
      }
    }
  }

  private static long total(CountingDevice[] disks, Operation operation) {
    return Arrays.stream(disks).mapToLong(disk -> disk.requests(operation)).sum();
  }

  @Test
  void aFailedStripeIsShownAndAnEvent() throws Exception {
    disks.add("d0", 8192);
    disks.add("d1", 8192);
    FailingDevice failing = disks.wrap("d1", FailingDevice::of);
    try (Mapped mapped = new Mapped(disks, "0 32 striped 2 8 disk:d0 0 disk:d1 0")) {
      failing.inject(Fault.range(0, 8192, EnumSet.of(Operation.READ)));
      mapped.read(0, 4096);
      assertThat(mapped.status()).endsWith("1 AA");
      assertThat(Mapped.errno(() -> mapped.read(0, 8192))).isEqualTo(Errno.EIO);
      assertThat(mapped.status()).isEqualTo("2 disk:d0 disk:d1 1 AD");
      assertThat(mapped.mapper.waitEvent(Mapped.ID, 0, Duration.ofDays(1))).isEqualTo(1);
      for (int i = 0; i < 50; i++) {
        Mapped.errno(() -> mapped.read(4096, 512));
      }
      assertThat(mapped.mapper.info(Mapped.ID).eventNumber()).isEqualTo(15);
    }
  }

  @Test
  void everyStripeIsFlushedAlsoAfterOneHasFailed() throws Exception {
    disks.add("d0", 8192);
    disks.add("d1", 8192);
    FailingDevice failing = disks.wrap("d0", FailingDevice::of);
    CountingDevice counting = disks.wrap("d1", CountingDevice::of);
    try (Mapped mapped = new Mapped(disks, "0 32 striped 2 8 disk:d0 0 disk:d1 0")) {
      mapped.device.writeFua(0, ByteBuffer.allocate(512));
      failing.inject(Fault.nth(1, EnumSet.of(Operation.FLUSH)));
      assertThat(Mapped.errno(mapped.device::flush)).isEqualTo(Errno.EIO);
      assertThat(counting.requests(Operation.FLUSH)).isEqualTo(1);
    }
  }
}
