package io.jdm.blockdev.layer;

import static io.jdm.testing.Bytes.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Threads;
import io.jdm.testing.VolatileCacheDevice;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cache with many threads at once, small enough that they are always in each other's way. */
@Timeout(120)
class CachingDeviceConcurrencyTest {
  private static final int THREADS = 4;
  private static final int FOLIO = 16 << 10;
  private static final int SIZE = 24 * FOLIO;
  private static final CachingDevice.Options OPTIONS =
      new CachingDevice.Options(
          "test", 8 * FOLIO, FOLIO, 5 * FOLIO, 4 * FOLIO, Duration.ofMillis(1));

  /** Stripes of odd size, so that threads share blocks and folios but never bytes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4096})
  void threadsThatShareBlocksSeeTheirOwnData(int block) throws Exception {
    int stripe = 1000;
    int size = SIZE - SIZE % block;
    BlockDevice disk = MemoryDevice.ofSize(size, block);
    byte[] model = new byte[size];
    try (BlockDevice cache = CachingDevice.over(new RecordingDevice(disk), OPTIONS)) {
      Threads.runTogether(
          THREADS,
          thread -> {
            Random random = new Random(thread);
            int stripes = size / stripe / THREADS;
            for (int step = 0; step < 5_000; step++) {
              int start = (random.nextInt(stripes) * THREADS + thread) * stripe;
              int from = start + random.nextInt(stripe);
              int length = 1 + random.nextInt(start + stripe - from);
              byte[] data = new byte[length];
              switch (random.nextInt(16)) {
                case 0 -> cache.flush();
                case 1 -> {
                  cache.writeZeroes(from, length);
                  System.arraycopy(data, 0, model, from, length);
                }
                case 2 -> {
                  random.nextBytes(data);
                  cache.writeFua(from, ByteBuffer.wrap(data));
                  System.arraycopy(data, 0, model, from, length);
                }
                case 3, 4, 5, 6 -> {
                  random.nextBytes(data);
                  cache.write(from, ByteBuffer.wrap(data));
                  System.arraycopy(data, 0, model, from, length);
                }
                case 7 -> cache.read(0, ByteBuffer.allocate(size));
                default -> {
                  cache.read(from, ByteBuffer.wrap(data));
                  assertThat(Arrays.equals(data, 0, length, model, from, from + length))
                      .as("thread (and seed) %d, step %d: %d at %d", thread, step, length, from)
                      .isTrue();
                }
              }
            }
          });
    }
    assertThat(read(disk, 0, size)).isEqualTo(model);
  }

  /** Each block is as one of its writers left it, and nothing old comes back over zeroes. */
  @Test
  void blocksOfOverlappingWritersAreNotMixedAndZeroesNotUndone() throws Exception {
    int block = 4096;
    BlockDevice disk = MemoryDevice.ofSize(SIZE, block);
    try (BlockDevice cache = CachingDevice.over(new RecordingDevice(disk), OPTIONS)) {
      Threads.runTogether(
          THREADS,
          thread -> {
            Random random = new Random(thread);
            byte[] data = new byte[3 * FOLIO];
            for (int step = 0; step < 2_000; step++) {
              int blocks = 1 + random.nextInt(data.length / block);
              int at = random.nextInt(SIZE / block - blocks) * block;
              Arrays.fill(data, 0, blocks * block, (byte) (1 + thread));
              ByteBuffer request = ByteBuffer.wrap(data, 0, blocks * block);
              switch (random.nextInt(5)) {
                case 0 -> cache.writeZeroes(at, (long) blocks * block);
                case 1, 2 -> cache.write(at, request);
                default -> cache.read(at, request);
              }
            }
          });
      assertUniformBlocks(read(cache, 0, SIZE), SIZE, block);
      cache.writeZeroes(block, SIZE - 2 * block);
      assertThat(read(cache, block, SIZE - 2 * block)).containsOnly(0);
    }
    assertThat(read(disk, block, SIZE - 2 * block)).containsOnly(0);
    assertUniformBlocks(read(disk, 0, SIZE), SIZE, block);
  }

  private static void assertUniformBlocks(byte[] data, int length, int block) {
    for (int i = 0; i < length; i++) {
      if (data[i] != data[i - i % block]) {
        assertThat(data[i]).as("byte %d", i).isEqualTo(data[i - i % block]);
      }
    }
  }

  /** What was written before a flush began is stable when it ends, whatever others write. */
  @Test
  void flushIsABarrierForWhatWasFinishedBeforeIt() throws Exception {
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(SIZE, 512);
    AtomicInteger[] finished = new AtomicInteger[THREADS];
    Arrays.setAll(finished, i -> new AtomicInteger());
    AtomicBoolean stop = new AtomicBoolean();
    try (BlockDevice cache = CachingDevice.over(disk, OPTIONS)) {
      Threads.runTogether(
          THREADS + 1,
          thread -> {
            if (thread == THREADS) {
              try {
                for (int round = 0; round < 200; round++) {
                  int[] before = new int[THREADS];
                  Arrays.setAll(before, i -> finished[i].get());
                  cache.flush();
                  ByteBuffer stable = ByteBuffer.wrap(disk.stable());
                  for (int i = 0; i < THREADS; i++) {
                    assertThat(stable.getInt(place(i))).isGreaterThanOrEqualTo(before[i]);
                    assertThat(stable.getInt(place(i) + FOLIO)).isGreaterThanOrEqualTo(before[i]);
                  }
                }
              } finally {
                stop.set(true);
              }
              return;
            }
            for (int value = 1; !stop.get(); value++) {
              ByteBuffer number = ByteBuffer.allocate(Integer.BYTES).putInt(0, value);
              cache.write(place(thread), number.clear());
              cache.write(place(thread) + FOLIO, number.clear());
              finished[thread].set(value);
            }
          });
    }
  }

  /** Not far from each other: threads share a block and a folio. */
  private static int place(int thread) {
    return 5 * FOLIO + 4 * thread + (thread / 2) * 4096;
  }

  @Test
  void closeKeepsWhatWasWrittenBeforeItAndRefusesTheRest() throws Exception {
    for (int round = 0; round < 20; round++) {
      BlockDevice disk = MemoryDevice.ofSize(SIZE);
      BlockDevice cache = CachingDevice.over(new RecordingDevice(disk), OPTIONS);
      AtomicInteger[] finished = new AtomicInteger[THREADS];
      Arrays.setAll(finished, i -> new AtomicInteger());
      CountDownLatch busy = new CountDownLatch(THREADS);
      int[] before = new int[THREADS];
      Threads.runTogether(
          THREADS + 1,
          thread -> {
            if (thread == THREADS) {
              busy.await();
              Arrays.setAll(before, i -> finished[i].get());
              cache.close();
              return;
            }
            int share = SIZE / THREADS;
            byte[] data = new byte[1000];
            Arrays.fill(data, (byte) 1);
            try {
              for (int at = 0; ; at = (at + data.length) % (share - data.length)) {
                if (finished[thread].get() == 10 * data.length) {
                  busy.countDown();
                }
                cache.write(thread * share + at, ByteBuffer.wrap(data));
                finished[thread].accumulateAndGet(at + data.length, Math::max);
                cache.read(thread * share + at, ByteBuffer.wrap(data));
                if (at % 7000 == 0) {
                  cache.flush();
                }
              }
            } catch (DeviceException e) {
              assertThat(e.errno()).isEqualTo(Errno.ENODEV);
            }
          });
      for (int i = 0; i < THREADS; i++) {
        assertThat(read(disk, (long) i * (SIZE / THREADS), before[i])).containsOnly(1);
      }
    }
  }
}
