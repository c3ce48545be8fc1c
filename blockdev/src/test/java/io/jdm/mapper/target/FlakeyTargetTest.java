package io.jdm.mapper.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Errno;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FlakeyTargetTest {
  private final Disks disks = new Disks();
  private final BlockDevice disk = disks.add("d", 64 * 512);
  private final Deque<Long> dice = new ArrayDeque<>();
  private long now = TimeUnit.DAYS.toNanos(-5);

  private Mapped mapped(String intervalsAndFeatures) throws MapperException {
    return new Mapped(
        disks,
        "0 16 flakey disk:d 8 " + intervalsAndFeatures,
        new FlakeyTarget.Type(() -> now, bound -> dice.remove()));
  }

  private void pass(double seconds) {
    now += (long) (seconds * 1e9);
  }

  private static byte[] filled(int value) {
    byte[] data = new byte[4096];
    Arrays.fill(data, (byte) value);
    return data;
  }

  @Test
  void itIsUpThenDownThenUpFromTheMomentItWasLoaded() throws Exception {
    try (Mapped mapped = mapped("3 2")) {
      boolean[] down = new boolean[12];
      for (int second = 0; second < down.length; second++) {
        down[second] = Mapped.errno(() -> mapped.read(0, 512)) == Errno.EIO;
        pass(0.999);
        assertThat(Mapped.errno(() -> mapped.read(0, 512)) == Errno.EIO)
            .as("at the end of second %d", second)
            .isEqualTo(down[second]);
        pass(0.001);
      }
      assertThat(down)
          .containsExactly(
              false, false, false, true, true, false, false, false, true, true, false, false);
    }
  }

  @Test
  void withoutFeaturesEverythingFails() throws Exception {
    try (Mapped mapped = mapped("1 1")) {
      mapped.write(0, filled(1));
      mapped.device.flush();
      pass(1);
      assertThat(Mapped.errno(() -> mapped.read(0, 512))).isEqualTo(Errno.EIO);
      assertThat(Mapped.errno(() -> mapped.write(0, filled(2)))).isEqualTo(Errno.EIO);
      assertThat(Mapped.errno(mapped.device::flush)).isEqualTo(Errno.EIO);
      assertThat(Mapped.errno(() -> mapped.device.discard(0, 512))).isEqualTo(Errno.EIO);
      assertThat(Mapped.errno(() -> mapped.device.writeZeroes(0, 512))).isEqualTo(Errno.EIO);
      pass(1);
      assertThat(mapped.read(0, 4096)).isEqualTo(filled(1));
    }
  }

  @Test
  void errorReadsAndErrorWritesFailTheirOwn() throws Exception {
    try (Mapped mapped = mapped("0 1 1 error_reads")) {
      assertThat(Mapped.errno(() -> mapped.read(0, 512))).isEqualTo(Errno.EIO);
      mapped.write(0, filled(3));
      mapped.device.flush();
    }
    try (Mapped mapped = mapped("0 1 1 error_writes")) {
      assertThat(mapped.read(0, 4096)).isEqualTo(filled(3));
      assertThat(Mapped.errno(() -> mapped.write(0, filled(4)))).isEqualTo(Errno.EIO);
      assertThat(Mapped.errno(mapped.device::flush)).isEqualTo(Errno.EIO);
    }
  }

  @Test
  void dropWritesForgetsSilently() throws Exception {
    try (Mapped mapped = mapped("1 1 1 drop_writes")) {
      mapped.write(0, filled(1));
      pass(1);
      ByteBuffer src = ByteBuffer.wrap(filled(2));
      mapped.device.write(0, src);
      assertThat(src.hasRemaining()).isFalse();
      mapped.device.writeFua(0, ByteBuffer.wrap(filled(2)));
      mapped.device.discard(0, 4096);
      mapped.device.flush();
      assertThat(mapped.read(0, 4096)).isEqualTo(filled(1));
    }
  }

  @Test
  void aByteOfReadsIsReplaced() throws Exception {
    try (Mapped mapped = mapped("1 1 5 corrupt_bio_byte 513 r 7 0")) {
      mapped.write(0, filled(1));
      pass(1);
      byte[] expected = filled(1);
      expected[512] = 7;
      assertThat(mapped.read(0, 4096)).isEqualTo(expected);
      assertThat(mapped.read(0, 512)).as("too short").containsOnly(1);
      ByteBuffer dst = ByteBuffer.allocate(5000).position(100).limit(100 + 1024);
      mapped.device.read(0, dst);
      assertThat(dst.get(612)).isEqualTo((byte) 7);
      assertThat(Mapped.read(disk, 4096, 4096)).as("on the disk").isEqualTo(filled(1));
      pass(1);
      assertThat(mapped.read(0, 4096)).isEqualTo(filled(1));
    }
  }

  @Test
  void aByteOfWritesIsReplacedInACopy() throws Exception {
    try (Mapped mapped = mapped("0 1 5 corrupt_bio_byte 1 w 9 0")) {
      byte[] data = filled(1);
      mapped.write(0, data);
      assertThat(data).isEqualTo(filled(1));
      byte[] expected = filled(1);
      expected[0] = 9;
      assertThat(Mapped.read(disk, 4096, 4096)).isEqualTo(expected);
      assertThat(mapped.read(0, 4096)).as("reads are not touched").isEqualTo(expected);
      mapped.device.write(0, ByteBuffer.wrap(data).asReadOnlyBuffer());
    }
  }

  @Test
  void flagsMustAllBeThere() throws Exception {
    int fua = 1 << 17;
    try (Mapped mapped = mapped("0 1 5 corrupt_bio_byte 1 w 9 " + (fua | 1))) {
      mapped.write(0, filled(1));
      assertThat(mapped.read(0, 1 * 512)).containsOnly(1);
      mapped.device.writeFua(0, ByteBuffer.wrap(filled(1)));
      assertThat(mapped.read(0, 512)[0]).isEqualTo((byte) 9);
    }
    try (Mapped mapped = mapped("0 1 5 corrupt_bio_byte 1 r 9 1")) {
      mapped.read(0, 512);
      assertThat(mapped.read(0, 512)[1]).as("a read has no write flag").isEqualTo((byte) 1);
    }
  }

  @Test
  void chanceDecidesWhichByteBecomesWhat() throws Exception {
    try (Mapped mapped = mapped("0 1 4 random_read_corrupt 1000 random_write_corrupt 500000000")) {
      dice.addAll(List.of(500_000_000L));
      mapped.write(0, filled(1));
      assertThat(Mapped.read(disk, 4096, 4096)).isEqualTo(filled(1));
      dice.addAll(List.of(499_999_999L, 4095L, 200L));
      mapped.write(0, filled(1));
      assertThat(Mapped.read(disk, 4096, 4096)[4095]).isEqualTo((byte) 200);
      dice.addAll(List.of(1000L));
      assertThat(mapped.read(0, 512)).containsOnly(1);
      dice.addAll(List.of(999L, 5L, 77L));
      assertThat(mapped.read(0, 512)[5]).isEqualTo((byte) 77);
      assertThat(dice).isEmpty();
    }
  }
}
