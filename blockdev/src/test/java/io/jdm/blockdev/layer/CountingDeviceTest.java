package io.jdm.blockdev.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Allocation;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CountingDeviceTest {
  private final CountingDevice device = CountingDevice.of(MemoryDevice.ofSize(1 << 20));

  @Test
  void countsEveryOperationApart() throws IOException {
    for (int i = 1; i <= 3; i++) {
      device.read(0, ByteBuffer.allocate(100));
    }
    device.write(0, ByteBuffer.allocate(200));
    device.writeFua(0, ByteBuffer.allocate(300));
    device.discard(0, 400);
    device.writeZeroes(0, 500);
    device.flush();
    assertCounted(Operation.READ, 3, 300);
    assertCounted(Operation.WRITE, 1, 200);
    assertCounted(Operation.WRITE_FUA, 1, 300);
    assertCounted(Operation.DISCARD, 1, 400);
    assertCounted(Operation.WRITE_ZEROES, 1, 500);
    assertCounted(Operation.FLUSH, 1, 0);
  }

  @Test
  void countsOnlyWhatReachesTheDeviceBelowFailedOrNot() throws IOException {
    FailingDevice failing = FailingDevice.of(MemoryDevice.ofSize(512));
    CountingDevice counting = CountingDevice.of(failing);
    failing.inject(Fault.nth(1, Set.of(Operation.READ)));
    BlockDevice device = counting;
    assertThatThrownBy(() -> device.read(0, ByteBuffer.allocate(512)))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> device.read(1, ByteBuffer.allocate(512)))
        .isInstanceOf(IOException.class);
    device.read(0, ByteBuffer.allocate(0));
    assertThat(counting.requests(Operation.READ)).isEqualTo(1);
  }

  @Test
  void losesNoCountAmongThreads() throws Exception {
    Threads.runTogether(
        4,
        thread -> {
          ByteBuffer buffer = ByteBuffer.allocate(10);
          for (int i = 0; i < 1_000; i++) {
            device.read(0, buffer.clear());
          }
        });
    assertCounted(Operation.READ, 4_000, 40_000);
  }

  @Test
  void countingAllocatesNothing() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(512);
    Allocation.assertNone(
        i -> {
          device.write(i, buffer.clear());
          device.read(i, buffer.clear());
        });
  }

  private void assertCounted(Operation operation, long requests, long bytes) {
    assertThat(device.requests(operation)).as("%s", operation).isEqualTo(requests);
    assertThat(device.bytes(operation)).as("bytes of %s", operation).isEqualTo(bytes);
  }
}
