package io.jdm.blockdev.layer;

import static io.jdm.testing.Bytes.pattern;
import static io.jdm.testing.Bytes.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Allocation;
import io.jdm.testing.VolatileCacheDevice;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link CachingDevice} adds to the contract of devices. */
@Timeout(60)
class CachingDeviceTest {
  private static final long SEED = 20261130;
  private static final int FOLIO = 64 << 10;
  private static final int CAPACITY = 16 * FOLIO;
  private static final int LIMIT = 6 * FOLIO;
  private static final int SIZE = 64 * FOLIO;

  /** Nothing is written back before it must be. */
  private static final CachingDevice.Options PATIENT =
      new CachingDevice.Options("test", CAPACITY, FOLIO, LIMIT, 4 * FOLIO, Duration.ofDays(1));

  private static final CachingDevice.Options TINY =
      new CachingDevice.Options(
          "tiny", 64 << 10, 8 << 10, 48 << 10, 32 << 10, Duration.ofMillis(1));

  // Coherence.

  @ParameterizedTest
  @ValueSource(ints = {1, 512, 4096, 16384})
  void anyRequestsOverAnyBlockSizeGiveWhatAnArrayGives(int block) throws Exception {
    Random random = new Random(SEED);
    int size = (300 << 10) / block * block + (block == 1 ? 77 : 0);
    byte[] model = new byte[size];
    BlockDevice disk = MemoryDevice.ofSize(size, block);
    try (BlockDevice cache = CachingDevice.over(new RecordingDevice(disk), TINY)) {
      for (int step = 0; step < 10_000; step++) {
        int offset = random.nextInt(size);
        int length = random.nextInt(Math.min(size - offset, 1 << random.nextInt(17)) + 1);
        byte[] data = new byte[length];
        switch (random.nextInt(12)) {
          case 0 -> cache.flush();
          case 1 -> {
            cache.writeZeroes(offset, length);
            System.arraycopy(data, 0, model, offset, length);
          }
          case 2, 3, 4 -> {
            random.nextBytes(data);
            cache.write(offset, ByteBuffer.wrap(data));
            System.arraycopy(data, 0, model, offset, length);
          }
          case 5 -> {
            random.nextBytes(data);
            cache.writeFua(offset, ByteBuffer.wrap(data));
            System.arraycopy(data, 0, model, offset, length);
          }
          case 6 -> {
            cache.discard(offset, length);
            cache.read(offset, ByteBuffer.wrap(data));
            System.arraycopy(data, 0, model, offset, length);
          }
          default -> {
            cache.read(offset, ByteBuffer.wrap(data));
            assertThat(Arrays.equals(data, 0, length, model, offset, offset + length))
                .as("seed %d, step %d: %d bytes at %d", SEED, step, length, offset)
                .isTrue();
          }
        }
      }
    }
    assertThat(content(disk)).as("seed %d, what was written back", SEED).isEqualTo(model);
  }

  @Test
  void zeroesAndDiscardsForgetWhatIsCached() throws Exception {
    BlockDevice disk = MemoryDevice.ofSize(SIZE, 512);
    RecordingDevice below = new RecordingDevice(disk);
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      cache.write(0, pattern(1, FOLIO - 512));
      cache.writeZeroes(512, FOLIO / 2 - 512);
      assertThat(read(cache, 512, FOLIO / 2 - 512)).containsOnly(0);
      assertThat(read(cache, 0, 512)).containsOnly(1);
      cache.discard(FOLIO / 2 + 500, FOLIO / 2 - 1500);
      cache.flush();
    }
    assertThat(below.requests(Operation.WRITE))
        .as("only what was neither zeroed nor discarded is written")
        .containsExactly(
            new RecordingDevice.Request(Operation.WRITE, 0, 512),
            new RecordingDevice.Request(Operation.WRITE, FOLIO / 2, 512),
            new RecordingDevice.Request(Operation.WRITE, FOLIO - 1024, 512));
  }

  // Flush and FUA.

  @Test
  void flushPutsAllEarlierDataOnStableStorage() throws Exception {
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(SIZE, 512);
    try (BlockDevice cache = CachingDevice.over(disk, PATIENT)) {
      cache.write(100, pattern(1, 2 * FOLIO));
      cache.write(9 * FOLIO, pattern(2, 10));
      assertThat(disk.stable()).containsOnly(0);
      cache.flush();
      byte[] expected = new byte[SIZE];
      Arrays.fill(expected, 100, 100 + 2 * FOLIO, (byte) 1);
      Arrays.fill(expected, 9 * FOLIO, 9 * FOLIO + 10, (byte) 2);
      assertThat(disk.stable()).isEqualTo(expected);
    }
  }

  @Test
  void aFuaWriteIsOnStableStorageAloneAndInOneRequest() throws Exception {
    VolatileCacheDevice disk = VolatileCacheDevice.ofSize(SIZE, 512);
    RecordingDevice below = new RecordingDevice(disk);
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      cache.write(0, pattern(1, FOLIO / 2));
      cache.writeFua(1000, pattern(2, 3000));
      assertThat(Arrays.copyOfRange(disk.stable(), 1000, 4000)).containsOnly(2);
      assertThat(disk.stable()[FOLIO / 4]).isZero();
      assertThat(below.requests(Operation.WRITE_FUA)).hasSize(1);
      assertThat(below.requests(Operation.FLUSH)).isEmpty();
      assertThat(read(cache, 0, 1000)).containsOnly(1);

      cache.writeFua(2 * FOLIO - 512, pattern(3, FOLIO));
      assertThat(Arrays.copyOfRange(disk.stable(), 2 * FOLIO - 512, 3 * FOLIO - 512))
          .containsOnly(3);
      assertThat(below.requests(Operation.FLUSH)).hasSize(1);
    }
  }

  // Writing behind.

  @ParameterizedTest
  @ValueSource(ints = {1000, 2048})
  void aStreamOfSmallWritesBecomesLargeOnesAndNeverReads(int request) throws Exception {
    BlockDevice disk = MemoryDevice.ofSize(SIZE, 4096);
    RecordingDevice below = new RecordingDevice(disk);
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      for (int at = 0; at < SIZE; at += request) {
        cache.write(at, pattern(1 + at / FOLIO, Math.min(request, SIZE - at)));
      }
    }
    assertThat(below.requests(Operation.READ)).isEmpty();
    assertThat(below.requests(Operation.WRITE)).allMatch(write -> write.length() == FOLIO);
    // The closing thread and the flusher share the last ones.
    assertThat(below.requests(Operation.WRITE).subList(0, SIZE / FOLIO / 2))
        .extracting(RecordingDevice.Request::offset)
        .isSorted();
    assertThat(below.requests(Operation.WRITE)).hasSize(SIZE / FOLIO);
  }

  @Test
  void blocksWrittenInPartAreReadOnlyIfTheRestDoesNotFollow() throws Exception {
    BlockDevice disk = MemoryDevice.ofSize(SIZE, 4096);
    disk.write(0, pattern(9, SIZE));
    RecordingDevice below = new RecordingDevice(disk);
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      cache.write(4096, pattern(1, 100));
      cache.write(4196, pattern(2, 3996));
      assertThat(below.requests(Operation.READ)).isEmpty();
      cache.write(2 * 4096, pattern(3, 100));
      cache.write(5 * 4096 - 100, pattern(4, 100));
      cache.flush();
      assertThat(below.requests(Operation.READ))
          .extracting(RecordingDevice.Request::offset)
          .containsExactly(2L * 4096, 4L * 4096);
    }
    byte[] expected = new byte[5 * 4096];
    Arrays.fill(expected, (byte) 9);
    Arrays.fill(expected, 4096, 4196, (byte) 1);
    Arrays.fill(expected, 4196, 2 * 4096, (byte) 2);
    Arrays.fill(expected, 2 * 4096, 2 * 4096 + 100, (byte) 3);
    Arrays.fill(expected, 5 * 4096 - 100, 5 * 4096, (byte) 4);
    assertThat(read(disk, 0, expected.length)).isEqualTo(expected);
  }

  @Test
  void dirtyDataDoesNotStayForever() throws Exception {
    BlockDevice disk = MemoryDevice.ofSize(SIZE, 512);
    try (BlockDevice cache = CachingDevice.over(new RecordingDevice(disk), TINY)) {
      cache.write(0, pattern(1, 2048));
      await().untilAsserted(() -> assertThat(read(disk, 0, 2048)).containsOnly(1));
    }
  }

  @Test
  void writersWaitWhenTheDirtyLimitIsReachedEvenIfInterrupted() throws Exception {
    BlockDevice disk = MemoryDevice.ofSize(SIZE, 512);
    RecordingDevice below = new RecordingDevice(disk);
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      below.shutGate();
      int[] written = new int[1];
      boolean[] interrupted = new boolean[1];
      Thread writer =
          new Thread(
              () -> {
                try {
                  for (; written[0] < SIZE; written[0] += 2048) {
                    cache.write(written[0], pattern(1 + written[0] / FOLIO, 2048));
                  }
                  interrupted[0] = Thread.currentThread().isInterrupted();
                } catch (IOException e) {
                  written[0] = -1;
                }
              });
      writer.start();
      await().until(() -> writer.getState() == Thread.State.WAITING);
      assertThat(written[0]).isEqualTo(LIMIT);
      writer.interrupt();
      below.openGate();
      writer.join();
      assertThat(written[0]).isEqualTo(SIZE);
      assertThat(interrupted[0]).isTrue();
      for (int at = 0; at < SIZE; at += FOLIO) {
        assertThat(read(cache, at, FOLIO)).containsOnly(1 + at / FOLIO);
      }
    }
  }

  // Reading ahead.

  @ParameterizedTest
  @ValueSource(ints = {1000, 2048, 4096})
  void aStreamOfSmallReadsBecomesLargeOnes(int request) throws Exception {
    RecordingDevice below = new RecordingDevice(numbered());
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      for (int at = 0; at < SIZE; at += request) {
        assertThat(read(cache, at, Math.min(request, SIZE - at))[0]).isEqualTo(number(at));
      }
    }
    assertThat(below.requests(Operation.READ)).allMatch(read -> read.length() == FOLIO);
    assertThat(below.requests(Operation.READ)).hasSize(SIZE / FOLIO);
  }

  @Test
  void severalStreamsAreReadAheadAtOnce() throws Exception {
    RecordingDevice below = new RecordingDevice(numbered());
    int[] starts = {4096, 20 * FOLIO + 2048, 40 * FOLIO + 512};
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      for (int i = 0; i < 10 * FOLIO; i += 512) {
        for (int start : starts) {
          assertThat(read(cache, start + i, 512)[0]).isEqualTo(number(start + i));
        }
      }
    }
    // One small read finds out that a stream begins; then there are only large ones.
    assertThat(below.requests(Operation.READ).stream().filter(read -> read.length() < 4096))
        .hasSize(starts.length);
    assertThat(below.requests(Operation.READ)).hasSizeLessThan(starts.length * 17);
  }

  @Test
  void randomReadsReadOnlyWhatIsAskedFor() throws Exception {
    RecordingDevice below = new RecordingDevice(MemoryDevice.ofSize(1L << 40, 512));
    Random random = new Random(SEED);
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      for (int i = 0; i < 1000; i++) {
        read(cache, random.nextLong(1L << 40) & -512, 512);
      }
    }
    assertThat(below.requests(Operation.READ)).hasSize(1000).allMatch(read -> read.length() == 512);
  }

  @Test
  void largeReadsGoBelowInOneRequest() throws Exception {
    RecordingDevice below = new RecordingDevice(numbered());
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      cache.write(20 * FOLIO, pattern(99, 512));
      byte[] all = read(cache, 0, SIZE);
      byte[] expected = content(below);
      Arrays.fill(expected, 20 * FOLIO, 20 * FOLIO + 512, (byte) 99);
      assertThat(all).isEqualTo(expected);
      assertThat(below.requests(Operation.READ).subList(0, 3))
          .containsExactly(
              new RecordingDevice.Request(Operation.READ, 0, 20 * FOLIO),
              new RecordingDevice.Request(Operation.READ, 20 * FOLIO + 512, FOLIO - 512),
              new RecordingDevice.Request(Operation.READ, 21 * FOLIO, SIZE - 21 * FOLIO));
    }
  }

  @Test
  void readAheadCanBeSwitchedOff() throws Exception {
    RecordingDevice below = new RecordingDevice(numbered());
    CachingDevice.Options options =
        new CachingDevice.Options("test", CAPACITY, FOLIO, LIMIT, 0, Duration.ofDays(1));
    try (BlockDevice cache = CachingDevice.over(below, options)) {
      for (int at = 0; at < 4 * FOLIO; at += 4096) {
        assertThat(read(cache, at, 4096)[0]).isEqualTo(number(at));
      }
    }
    assertThat(below.requests(Operation.READ)).allMatch(read -> read.length() == 4096);
  }

  // Costs.

  @Test
  void smallRequestsAllocateNothing() throws Exception {
    ByteBuffer buffer = ByteBuffer.allocateDirect(2048);
    try (BlockDevice cache = CachingDevice.over(MemoryDevice.ofSize(SIZE, 512), PATIENT)) {
      Allocation.assertNone(i -> cache.write((i * 2048L) % FOLIO, buffer.clear()));
      Allocation.assertNone(i -> cache.read((i * 2048L) % FOLIO, buffer.clear()));
      Allocation.assertNone(i -> cache.read((i * 7919L * 512) % (SIZE - 2048), buffer.clear()));
    }
  }

  @Test
  void memoryDoesNotGrowWithTheDevice() throws Exception {
    BlockDevice below = MemoryDevice.ofSize(1L << 40, 512);
    Random random = new Random(SEED);
    ByteBuffer zeros = ByteBuffer.allocateDirect(2048);
    long before = directMemory();
    try (BlockDevice cache = CachingDevice.over(below, PATIENT)) {
      for (int i = 0; i < 3000; i++) {
        long at = random.nextLong(1L << 40) & -512;
        cache.write(Math.min(at, (1L << 40) - 2048), zeros.clear());
        cache.read(Math.min(at, (1L << 40) - 2048), zeros.clear());
      }
      assertThat(directMemory() - before).isLessThan(CAPACITY * 2L);
      cache.writeZeroes(0, 1L << 40);
    }
  }

  @Test
  void closeZeroesWhatWasCached() throws Exception {
    List<ByteBuffer> seen = new ArrayList<>();
    LayerDevice peeping =
        new LayerDevice(MemoryDevice.ofSize(SIZE, 512)) {
          @Override
          public String describe() {
            return "peeping";
          }

          @Override
          protected void doWrite(long offset, ByteBuffer src) throws IOException {
            seen.add(src.duplicate());
            super.doWrite(offset, src);
          }
        };
    CachingDevice cache = CachingDevice.over(peeping, PATIENT);
    cache.write(512, pattern(1, FOLIO));
    cache.flush();
    assertThat(seen).hasSize(2);
    assertThat(seen.get(0).get(seen.get(0).position())).isEqualTo((byte) 1);
    cache.close();
    for (ByteBuffer memory : seen) {
      byte[] bytes = new byte[memory.clear().remaining()];
      memory.get(bytes);
      assertThat(bytes).containsOnly(0);
    }
  }

  @Test
  void theFlusherIsADaemonNamedAfterTheDeviceAndEndsWithIt() throws Exception {
    CachingDevice.Options options = PATIENT.withName("c1-flusher-test");
    BlockDevice cache = CachingDevice.over(MemoryDevice.ofSize(SIZE, 512), options);
    Thread flusher =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("flush/c1-flusher-test"))
            .findAny()
            .orElseThrow();
    assertThat(flusher.isDaemon()).isTrue();
    cache.close();
    flusher.join();
  }

  @Test
  void impossibleOptionsAreRefused() {
    int[][] options = {
      {1 << 20, 5000, 1 << 19, 0},
      {1 << 20, 2048, 1 << 19, 0},
      {1 << 20, 1 << 19, 1 << 19, 0},
      {1 << 20, 1 << 16, 1 << 15, 0},
      {1 << 20, 1 << 16, 1 << 20, 0},
      {1 << 20, 1 << 16, 1 << 19, -1}
    };
    for (int[] o : options) {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> new CachingDevice.Options("", o[0], o[1], o[2], o[3], Duration.ofSeconds(1)));
    }
  }

  private static long directMemory() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getTotalCapacity)
        .sum();
  }

  /** A device whose bytes say in which 512 bytes they are. */
  private static BlockDevice numbered() throws IOException {
    BlockDevice disk = MemoryDevice.ofSize(SIZE, 512);
    for (int at = 0; at < SIZE; at += 512) {
      disk.write(at, pattern(number(at), 512));
    }
    return disk;
  }

  private static byte number(int at) {
    return (byte) (at / 512 * 31);
  }

  private static byte[] content(BlockDevice device) throws IOException {
    return read(device, 0, (int) device.size());
  }
}
