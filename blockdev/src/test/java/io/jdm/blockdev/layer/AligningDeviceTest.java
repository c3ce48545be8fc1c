package io.jdm.blockdev.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Allocation;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AligningDeviceTest {
  private static final int BLOCK = 512;

  /** Holds up the first read until it is told to go on. */
  private static final class PausingDevice extends LayerDevice {
    final CountDownLatch reading = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);

    PausingDevice(BlockDevice below) {
      super(below);
    }

    @Override
    public String describe() {
      return "pausing " + below.describe();
    }

    @Override
    protected void doRead(long offset, ByteBuffer dst) throws IOException {
      super.doRead(offset, dst);
      reading.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private final MemoryDevice memory = MemoryDevice.ofSize(64 * BLOCK, BLOCK);

  @Test
  void anAlignedWriteIsNotUndoneByAnOlderReadModifyWrite() throws Exception {
    PausingDevice pausing = new PausingDevice(memory);
    BlockDevice device = AligningDevice.of(pausing);
    AtomicReference<Thread> aligned = new AtomicReference<>();
    Threads.runTogether(
        3,
        thread -> {
          switch (thread) {
            case 0 -> device.write(10, filled(20, 1));
            case 1 -> {
              pausing.reading.await();
              aligned.set(Thread.currentThread());
              device.write(0, filled(BLOCK, 2));
            }
            default -> {
              // The block was read, so the aligned write has to wait for the one that read it.
              await().until(() -> isWaiting(aligned.get()));
              pausing.goOn.countDown();
            }
          }
        });
    assertThat(read(device, 0, BLOCK)).isEqualTo(filled(BLOCK, 2).array());
  }

  @Test
  void writersOfOtherBlocksDoNotWait() throws Exception {
    PausingDevice pausing = new PausingDevice(memory);
    BlockDevice device = AligningDevice.of(pausing);
    Threads.runTogether(
        2,
        thread -> {
          if (thread == 0) {
            device.write(10, filled(20, 1));
          } else {
            pausing.reading.await();
            device.write(BLOCK, filled(BLOCK, 2));
            device.writeZeroes(2L * BLOCK, BLOCK);
            device.discard(0, BLOCK - 1);
            pausing.goOn.countDown();
          }
        });
    assertThat(read(memory, BLOCK, BLOCK)).isEqualTo(filled(BLOCK, 2).array());
  }

  @Test
  void neighboursInOneBlockKeepEachOthersBytes() throws Exception {
    BlockDevice device = AligningDevice.of(memory);
    Threads.runTogether(
        4,
        thread -> {
          for (int round = 1; round <= 100; round++) {
            for (int offset = thread; offset < 2 * BLOCK; offset += 4) {
              device.write(offset, filled(1, round));
            }
          }
        });
    assertThat(read(device, 0, 2 * BLOCK)).isEqualTo(filled(2 * BLOCK, 100).array());
  }

  @Test
  void mixedWritersLeaveWhatOneOfThemWrote() throws Exception {
    BlockDevice device = AligningDevice.of(memory);
    for (int round = 0; round < 300; round++) {
      Threads.runTogether(
          2,
          thread -> {
            if (thread == 0) {
              device.write(100, filled(2 * BLOCK, 1));
            } else {
              device.write(0, filled(3 * BLOCK, 2));
            }
          });
      byte[] content = read(device, 0, 3 * BLOCK);
      // Bytes that only the aligned writer wrote are never from before.
      assertThat(Arrays.copyOf(content, 100)).containsOnly(2);
      assertThat(Arrays.copyOfRange(content, 100 + 2 * BLOCK, 3 * BLOCK)).containsOnly(2);
      device.writeZeroes(0, 4L * BLOCK);
    }
  }

  @Test
  void alignedRequestsPassUnchangedAndPartsCostOneReadAndOneWrite() throws IOException {
    CountingDevice counting = CountingDevice.of(memory);
    BlockDevice device = AligningDevice.of(counting);
    device.write(BLOCK, filled(8 * BLOCK, 1));
    device.read(BLOCK, ByteBuffer.allocate(8 * BLOCK));
    assertThat(counting.requests(Operation.WRITE)).isEqualTo(1);
    assertThat(counting.requests(Operation.READ)).isEqualTo(1);

    // A part of a block, six whole ones, a part.
    device.write(BLOCK - 1, filled(6 * BLOCK + 2, 2));
    assertThat(counting.requests(Operation.WRITE)).isEqualTo(1 + 3);
    assertThat(counting.requests(Operation.READ)).isEqualTo(1 + 2);
    assertThat(counting.bytes(Operation.WRITE)).isEqualTo((8 + 8) * BLOCK);
    assertThat(read(memory, 0, 8 * BLOCK))
        .startsWith(new byte[BLOCK - 1])
        .containsSubsequence(filled(6 * BLOCK + 2, 2).array())
        .endsWith(filled(BLOCK - 1, 1).array());
  }

  @Test
  void aFuaWriteIsFuaInAllItsParts() throws IOException {
    CountingDevice counting = CountingDevice.of(memory);
    AligningDevice.of(counting).writeFua(1, filled(3 * BLOCK, 1));
    assertThat(counting.requests(Operation.WRITE_FUA)).isEqualTo(3);
    assertThat(counting.requests(Operation.WRITE)).isZero();
  }

  @Test
  void discardKeepsThePartsOfBlocks() throws IOException {
    BlockDevice device = AligningDevice.of(memory);
    device.write(0, filled(8 * BLOCK, 1));
    device.discard(BLOCK - 10, 2 * BLOCK + 20);
    assertThat(read(device, 0, BLOCK)).containsOnly(1);
    assertThat(read(device, BLOCK, 2 * BLOCK)).containsOnly(0);
    assertThat(read(device, 3L * BLOCK, BLOCK)).containsOnly(1);
    device.discard(10, 100);
    assertThat(read(device, 0, BLOCK)).containsOnly(1);
  }

  @Test
  void aFailedWriteReleasesItsBlocks() throws IOException {
    FailingDevice failing = FailingDevice.of(memory);
    BlockDevice device = AligningDevice.of(failing);
    for (Operation operation : Set.of(Operation.READ, Operation.WRITE)) {
      failing.inject(Fault.nth(1, Set.of(operation)));
      try {
        device.write(1, filled(3 * BLOCK, 1));
      } catch (IOException expected) {
        failing.heal();
      }
      device.write(0, filled(4 * BLOCK, 2));
    }
    assertThat(failing.failures()).isEqualTo(2);
    assertThat(read(device, 0, 4 * BLOCK)).containsOnly(2);
  }

  @Test
  void smallRequestsAllocateNothing() throws IOException {
    BlockDevice device = AligningDevice.of(memory);
    ByteBuffer buffer = ByteBuffer.allocateDirect(2 * BLOCK);
    Random random = new Random(1);
    Allocation.assertNone(
        i -> {
          int offset = random.nextInt(8) * 256;
          device.write(offset, buffer.clear().limit(1 + random.nextInt(2 * BLOCK)));
          device.read(offset, buffer.clear().limit(1 + random.nextInt(2 * BLOCK)));
        });
  }

  private static boolean isWaiting(Thread thread) {
    return thread != null && thread.getState() == Thread.State.WAITING;
  }

  private static ByteBuffer filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  private static byte[] read(BlockDevice device, long offset, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(length);
    device.read(offset, dst);
    return dst.array();
  }
}
