package io.jdm.blockdev.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.jdm.testing.Allocation;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryDeviceTest {
  private static final int CHUNK = 64 * 1024;

  @ParameterizedTest
  @ValueSource(longs = {1, 65_536, 1L << 26, (1L << 26) + 1, 1L << 40, 1L << 62, Long.MAX_VALUE})
  void everySizeWorksAtBothEndsAndInBetween(long size) throws IOException {
    try (MemoryDevice device = MemoryDevice.ofSize(size)) {
      assertThat(device.size()).isEqualTo(size);
      Random random = new Random(size);
      for (int i = 0; i < 20; i++) {
        long offset =
            switch (i) {
              case 0 -> 0;
              case 1 -> size - 1;
              default -> Math.floorMod(random.nextLong(), size);
            };
        byte[] data = new byte[(int) Math.min(100_000, size - offset)];
        random.nextBytes(data);
        device.write(offset, ByteBuffer.wrap(data));
        assertThat(read(device, offset, data.length)).isEqualTo(data);
      }
      device.writeZeroes(0, size);
      assertThat(read(device, size - 1, 1)).containsExactly(0);
    }
  }

  @Test
  void zerosTakeNoMemory() throws IOException {
    try (MemoryDevice device = MemoryDevice.ofSize(1L << 40)) {
      long before = directBytes();
      ByteBuffer zeros = ByteBuffer.allocate(1 << 20);
      for (int i = 0; i < 64; i++) {
        device.write((long) i << 30, zeros.clear());
      }
      assertThat(directBytes() - before).isLessThan(1 << 20);
    }
  }

  @Test
  void zerosOverDataAreData() throws IOException {
    try (MemoryDevice device = MemoryDevice.ofSize(CHUNK)) {
      device.write(10, ByteBuffer.wrap(new byte[] {1, 2, 3}));
      device.write(11, ByteBuffer.wrap(new byte[1]));
      assertThat(read(device, 9, 5)).containsExactly(0, 1, 0, 3, 0);
    }
  }

  @Test
  void freeingSkipsWhatIsNotThere() throws IOException {
    try (MemoryDevice device = MemoryDevice.ofSize(Long.MAX_VALUE)) {
      byte[] data = new byte[3 * CHUNK];
      Arrays.fill(data, (byte) 1);
      long middle = (1L << 50) + 100;
      device.write(middle, ByteBuffer.wrap(data));
      // All but the first and last ten bytes, and everything far and wide around.
      device.discard(0, middle);
      device.discard(middle + 10, data.length - 20);
      device.discard(middle + data.length, Long.MAX_VALUE - middle - data.length);
      Arrays.fill(data, 10, data.length - 10, (byte) 0);
      assertThat(read(device, middle, data.length)).isEqualTo(data);
    }
  }

  @Test
  void closingWipesTheMemory() throws IOException {
    MemoryDevice device = MemoryDevice.ofSize(1L << 40);
    device.write(0, ByteBuffer.allocate(CHUNK).put(0, (byte) 1));
    ByteBuffer chunk = device.find(0);
    device.close();
    assertThat(chunk.get(0)).isZero();
    assertThat(device.find(0)).isNull();
  }

  @Test
  void discardingWipesTheMemory() throws IOException {
    try (MemoryDevice device = MemoryDevice.ofSize(1L << 40)) {
      device.write(CHUNK, ByteBuffer.allocate(CHUNK).put(7, (byte) 1));
      ByteBuffer chunk = device.find(CHUNK);
      device.discard(0, 3 * CHUNK);
      assertThat(chunk.get(7)).isZero();
      assertThat(device.find(CHUNK)).isNull();
    }
  }

  @Test
  void sizesThatMakeNoSenseAreProgrammingErrors() {
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryDevice.ofSize(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryDevice.ofSize(1000, 512));
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryDevice.ofSize(1000, 100));
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryDevice.ofSize(1000, 0));
  }

  @Test
  void smallRequestsAllocateNothing() throws IOException {
    try (MemoryDevice device = MemoryDevice.ofSize(1 << 20)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
      buffer.put(0, (byte) 1);
      Allocation.assertNone(
          i -> {
            device.write((i & 127) * 4096L, buffer.clear());
            device.read((i & 127) * 4096L, buffer.clear());
          });
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static byte[] read(MemoryDevice device, long offset, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(length);
    device.read(offset, dst);
    return dst.array();
  }
}
