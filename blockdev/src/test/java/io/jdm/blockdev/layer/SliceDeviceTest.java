package io.jdm.blockdev.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SliceDeviceTest {
  private final MemoryDevice memory = MemoryDevice.ofSize(16 * 512, 512);

  @Test
  void nothingOutsideIsTouched() throws IOException {
    byte[] content = new byte[16 * 512];
    Arrays.fill(content, (byte) 1);
    memory.write(0, ByteBuffer.wrap(content));
    BlockDevice slice = SliceDevice.of(memory, 4 * 512, 8 * 512);
    byte[] data = new byte[4 * 512];
    Arrays.fill(data, (byte) 2);
    slice.write(0, ByteBuffer.wrap(data));
    slice.writeZeroes(4 * 512, 2 * 512);
    slice.discard(6 * 512, 2 * 512);
    Arrays.fill(content, 4 * 512, 8 * 512, (byte) 2);
    Arrays.fill(content, 8 * 512, 12 * 512, (byte) 0);
    ByteBuffer found = ByteBuffer.allocate(16 * 512);
    memory.read(0, found);
    assertThat(found.array()).isEqualTo(content);
  }

  @Test
  void aSliceMayBeEmptyOrWhole() throws IOException {
    assertThat(SliceDevice.of(memory, 16 * 512, 0).size()).isZero();
    assertThat(SliceDevice.of(memory, 0, 16 * 512).size()).isEqualTo(16 * 512);
  }

  @ParameterizedTest
  @CsvSource({
    "-512, 512, is outside the device of 8192 bytes",
    "0, -512, is outside the device of 8192 bytes",
    "8192, 512, is outside the device of 8192 bytes",
    "512, 8192, is outside the device of 8192 bytes",
    "512, 9223372036854775296, is outside the device of 8192 bytes",
    "9223372036854775296, 512, is outside the device of 8192 bytes",
    "256, 512, is not a multiple of the block size of 512 bytes",
    "512, 700, is not a multiple of the block size of 512 bytes",
  })
  void aRangeThatTheDeviceHasNotIsRefused(long start, long size, String reason) {
    assertThatThrownBy(() -> SliceDevice.of(memory, start, size))
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessage(
            "slice of " + size + " bytes at " + start + " " + reason + ": " + memory.describe());
  }

  @Test
  void closesTheDeviceBelow() throws IOException {
    SliceDevice.of(memory, 0, 512).close();
    assertThat(memory.isOpen()).isFalse();
  }
}
