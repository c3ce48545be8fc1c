package io.jdm.blockdev.layer;

import static io.jdm.testing.Bytes.pattern;
import static io.jdm.testing.Bytes.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.memory.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No failure of write-back is lost, and no data without a failure being reported. */
@Timeout(60)
class CachingDeviceFailureTest {
  private static final int FOLIO = 8 << 10;
  private static final int SIZE = 64 * FOLIO;
  private static final Set<Operation> WRITES = EnumSet.of(Operation.WRITE, Operation.WRITE_FUA);
  private static final Fault ALWAYS = (operation, offset, length) -> WRITES.contains(operation);

  private static final CachingDevice.Options OPTIONS =
      new CachingDevice.Options("test", 8 * FOLIO, FOLIO, 6 * FOLIO, 4 * FOLIO, Duration.ofDays(1));

  private final BlockDevice disk = MemoryDevice.ofSize(SIZE, 512);
  private FailingDevice below;
  private BlockDevice cache;

  @BeforeEach
  void open() {
    below = FailingDevice.of(new RecordingDevice(disk));
    cache = CachingDevice.over(below, OPTIONS);
  }

  @Test
  void aFailureBehindTheWriterIsReportedByTheNextFlushAndTheDataIsWrittenAgain() throws Exception {
    below.inject(Fault.nth(1, WRITES));
    cache.write(0, pattern(1, FOLIO));
    await().until(() -> below.failures() == 1);
    assertThat(read(cache, 0, FOLIO)).containsOnly(1);

    assertThatThrownBy(cache::flush)
        .isInstanceOf(DeviceException.class)
        .hasMessageStartingWith("write-back failed: injected failure")
        .hasMessageEndingWith(below.describe());
    assertThat(read(disk, 0, FOLIO)).containsOnly(1);
    cache.flush();
    cache.close();
  }

  @Test
  void closeReportsItTooUnlessAFlushSucceededInBetween() throws Exception {
    below.inject(Fault.nth(1, WRITES));
    cache.write(0, pattern(1, FOLIO));
    await().until(() -> below.failures() == 1);
    assertThatThrownBy(cache::flush).hasMessageContaining("write-back failed");
    assertThatThrownBy(cache::close).hasMessageContaining("write-back failed");
    assertThat(below.isOpen()).isFalse();
    assertThat(read(disk, 0, FOLIO)).containsOnly(1);
  }

  @Test
  void closeReportsWhatNoFlushCould() throws Exception {
    below.inject(ALWAYS);
    cache.write(100, pattern(1, 1000));
    assertThatThrownBy(cache::close)
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("write-back failed: injected failure");
    assertThat(below.isOpen()).isFalse();
    assertThat(read(disk, 0, FOLIO)).containsOnly(0);
  }

  @Test
  void eachFlushTriesAgainAndSucceedsOnlyWhenEverythingIsWritten() throws Exception {
    below.inject(Fault.range(5 * 512, 512, WRITES));
    for (int sector = 1; sector < 12; sector += 2) {
      cache.write(sector * 512L, pattern(sector, 512));
    }
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(cache::flush).hasMessageContaining("write-back failed");
    }
    for (int sector = 1; sector < 12; sector += 2) {
      assertThat(read(cache, sector * 512L, 512)).containsOnly(sector);
      assertThat(read(disk, sector * 512L, 512)).containsOnly(sector == 5 ? 0 : sector);
    }
    below.heal();
    cache.flush();
    assertThat(read(disk, 5 * 512, 512)).containsOnly(5);
    cache.close();
  }

  @Test
  void writersAreToldWhenNothingCanBeWrittenAnyMore() throws Exception {
    below.inject(ALWAYS);
    int accepted = 0;
    IOException refusal = null;
    while (refusal == null) {
      try {
        cache.write(accepted, pattern(7, 512));
        accepted += 512;
      } catch (IOException e) {
        refusal = e;
      }
    }
    assertThat(refusal).hasMessageContaining("write-back failed: injected failure");
    assertThat(accepted).isEqualTo(6 * FOLIO);
    assertThat(read(cache, 0, accepted)).containsOnly(7);
    below.heal();
    assertThatThrownBy(cache::flush).hasMessageContaining("write-back failed");
    cache.write(accepted, pattern(7, FOLIO));
    cache.flush();
    assertThat(read(disk, 0, accepted + FOLIO)).containsOnly(7);
    cache.close();
  }

  @Test
  void aWriteThroughThatFailsTellsItsCallerAndIsTriedAgain() throws Exception {
    below.inject(Fault.nth(1, WRITES));
    assertThatThrownBy(() -> cache.writeFua(512, pattern(1, 1000)))
        .hasMessageContaining("injected failure");
    assertThat(read(cache, 512, 1000)).containsOnly(1);
    cache.flush();
    assertThat(Arrays.copyOf(read(disk, 512, 1024), 1000)).containsOnly(1);
    cache.close();
  }

  @Test
  void aFailedFlushBelowIsReported() throws Exception {
    below.inject(Fault.nth(1, EnumSet.of(Operation.FLUSH)));
    cache.write(0, pattern(1, 512));
    assertThatThrownBy(cache::flush).hasMessageContaining("injected failure of a flush");
    cache.flush();
    cache.close();
  }

  @Test
  void readersAskThemselvesForWhatCouldNotBeReadAhead() throws Exception {
    below.inject(Fault.range(20 * FOLIO, FOLIO, EnumSet.of(Operation.READ)));
    for (int at = 0; at < 20 * FOLIO; at += 512) {
      read(cache, at, 512);
    }
    assertThatThrownBy(() -> read(cache, 20 * FOLIO, 512)).hasMessageContaining("injected failure");
    below.heal();
    assertThat(read(cache, 20 * FOLIO, 512)).containsOnly(0);
    cache.close();
  }

  @Test
  void zeroesThatFailLeaveWhatWasWrittenBefore() throws Exception {
    cache.write(0, pattern(1, 512));
    cache.flush();
    cache.write(512, pattern(2, 512));
    below.inject(Fault.nth(1, EnumSet.of(Operation.WRITE_ZEROES)));
    assertThatThrownBy(() -> cache.writeZeroes(0, FOLIO)).hasMessageContaining("injected failure");
    disk.write(0, pattern(3, 512));
    assertThat(read(cache, 0, 512)).as("unknown, so read again").containsOnly(3);
    assertThat(read(cache, 512, 512)).containsOnly(2);
    cache.close();
    assertThat(read(disk, 512, 512)).containsOnly(2);
  }

  @Test
  void aFlusherThatMeetsABugBelowGoesOn() throws Exception {
    LayerDevice buggy =
        new LayerDevice(new RecordingDevice(disk)) {
          private boolean met;

          @Override
          public String describe() {
            return "buggy";
          }

          @Override
          protected void doWrite(long offset, ByteBuffer src) throws IOException {
            if (!met) {
              met = true;
              throw new IllegalStateException("a bug");
            }
            super.doWrite(offset, src);
          }
        };
    try (BlockDevice device = CachingDevice.over(buggy, OPTIONS)) {
      for (int at = 0; at < SIZE; at += 512) {
        device.write(at, pattern(1, 512));
      }
      assertThatThrownBy(device::flush).hasMessageContaining("a bug");
      device.flush();
    }
    assertThat(read(disk, 0, SIZE)).containsOnly(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsNotReportedIsNotLost(int seed) throws Exception {
    Random random = new Random(seed);
    byte[] model = new byte[SIZE];
    boolean[] known = new boolean[SIZE];
    Arrays.fill(known, true);
    below.inject(Fault.random(0.05, seed, Fault.anything()));
    int failures = 0;
    for (int step = 0; step < 1500; step++) {
      int at = random.nextInt(SIZE);
      int length = random.nextInt(Math.min(SIZE - at, 2 * FOLIO)) + 1;
      byte[] data = new byte[length];
      try {
        switch (random.nextInt(6)) {
          case 0 -> {
            Arrays.fill(known, at, at + length, false);
            cache.writeZeroes(at, length);
            System.arraycopy(data, 0, model, at, length);
            Arrays.fill(known, at, at + length, true);
          }
          case 1, 2, 3 -> {
            random.nextBytes(data);
            Arrays.fill(known, at, at + length, false);
            if (random.nextInt(10) == 0) {
              cache.writeFua(at, ByteBuffer.wrap(data));
            } else {
              cache.write(at, ByteBuffer.wrap(data));
            }
            System.arraycopy(data, 0, model, at, length);
            Arrays.fill(known, at, at + length, true);
          }
          case 4 -> {
            cache.read(at, ByteBuffer.wrap(data));
            assertKnown(seed, "read", data, at, model, known);
          }
          default -> cache.flush();
        }
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("injected failure");
        failures++;
      }
    }
    assertThat(failures).isPositive();
    below.heal();
    try {
      cache.flush();
    } catch (IOException e) {
      cache.flush();
    }
    assertKnown(seed, "cached", read(cache, 0, SIZE), 0, model, known);
    cache.close();
    assertKnown(seed, "written", read(disk, 0, SIZE), 0, model, known);
  }

  /** Bytes of requests that failed may be anything; all others must be as written last. */
  private static void assertKnown(
      int seed, String what, byte[] data, int at, byte[] model, boolean[] known) {
    for (int i = 0; i < data.length; i++) {
      if (known[at + i] && data[i] != model[at + i]) {
        assertThat(data[i]).as("seed %d: %s byte %d", seed, what, at + i).isEqualTo(model[at + i]);
      }
    }
  }
}
