package io.jdm.blockdev.layer;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CachingDeviceTest {
  private static final CachingDevice.Options SMALL =
      new CachingDevice.Options("test", 64 << 10, 8 << 10, 32 << 10, Duration.ofSeconds(5));

  @ParameterizedTest
  @ValueSource(ints = {1, 512, 4096, 16384})
  void randomOperationsGiveWhatAnArrayGives(int block) throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int size = 300 * 1024 / block * block + (block == 1 ? 77 : 0);
    byte[] model = new byte[size];
    BlockDevice below = MemoryDevice.ofSize(size, block);
    ReadOnlyKeeper keeper = new ReadOnlyKeeper(below);
    try (BlockDevice cache = CachingDevice.over(keeper, SMALL)) {
      for (int i = 0; i < 20_000; i++) {
        String what = "seed " + seed + ", step " + i;
        int offset = random.nextInt(size);
        int length = Math.min(size - offset, 1 << random.nextInt(16));
        length = random.nextInt(length + 1);
        switch (random.nextInt(12)) {
          case 0 -> cache.flush();
          case 1 -> {
            cache.writeZeroes(offset, length);
            java.util.Arrays.fill(model, offset, offset + length, (byte) 0);
          }
          case 2, 3, 4 -> {
            byte[] data = new byte[length];
            random.nextBytes(data);
            if (random.nextInt(8) == 0) {
              cache.writeFua(offset, ByteBuffer.wrap(data));
            } else {
              cache.write(offset, ByteBuffer.wrap(data));
            }
            System.arraycopy(data, 0, model, offset, length);
          }
          default -> {
            byte[] data = new byte[length];
            cache.read(offset, ByteBuffer.wrap(data));
            assertThat(java.util.Arrays.equals(data, 0, length, model, offset, offset + length))
                .as(what)
                .isTrue();
          }
        }
      }
    }
    byte[] all = new byte[size];
    below.read(0, ByteBuffer.wrap(all));
    assertThat(all).as("seed " + seed).isEqualTo(model);
  }

  /** Leaves the device below open when the cache closes. */
  private static final class ReadOnlyKeeper extends LayerDevice {
    ReadOnlyKeeper(BlockDevice below) {
      super(below);
    }

    @Override
    public String describe() {
      return below.describe();
    }

    @Override
    protected void doClose() {}
  }
}
