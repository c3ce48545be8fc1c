package io.jdm.nbd.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.RawClient;
import io.jdm.nbd.Served;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A connection's threads allocate nothing for a small request once they are warm. For a large one,
 * which a thread takes along while another waits for the input, it is at most the entry of a lock's
 * queue.
 */
@Timeout(120)
class ServerAllocationTest {
  private static final int SIZE = 4 << 20;
  private static final int REQUESTS = 1_000;
  private static final int LOCK_ENTRY = 64;
  private static final int ROUNDS_TO_WARM_UP = 60;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** What the server's threads allocated in all; threads that ended meanwhile do not count. */
  private long allocated() {
    long sum = 0;
    for (long id : threads.getAllThreadIds()) {
      var thread = threads.getThreadInfo(id);
      if (thread != null && thread.getThreadName().startsWith("nbd")) {
        sum += Math.max(0, threads.getThreadAllocatedBytes(id));
      }
    }
    return sum;
  }

  @Test
  void aSmallReadAllocatesNothing() throws IOException {
    assertAllocates(1, RawClient.requestBytes(0, 0, 7, 8192, 4096), 16 + 4096);
  }

  @Test
  void aLargeReadAllocatesALockEntryAtMost() throws IOException {
    int length = 128 * 1024;
    assertAllocates(LOCK_ENTRY, RawClient.requestBytes(0, 0, 7, 8192, length), 16 + length);
  }

  @Test
  void aSmallWriteAllocatesNothing() throws IOException {
    byte[] request =
        RawClient.bytes(
            out -> {
              out.write(RawClient.requestBytes(0, 1, 7, 8192, 4096));
              out.write(new byte[4096]);
            });
    assertAllocates(1, request, 16);
  }

  private void assertAllocates(long bytes, byte[] request, int reply) throws IOException {
    try (Served served = Served.device(filled());
        RawClient client = RawClient.transmitting(served.socket(), false)) {
      byte[] answer = new byte[reply];
      long allocated = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS_TO_WARM_UP && allocated >= bytes * REQUESTS; round++) {
        long before = allocated();
        for (int i = 0; i < REQUESTS; i++) {
          client.send(request);
          client.in.readFully(answer);
        }
        allocated = allocated() - before;
      }
      assertThat(allocated)
          .as("bytes allocated by %d requests", REQUESTS)
          .isLessThan(bytes * REQUESTS);
    }
  }

  private static MemoryDevice filled() throws IOException {
    MemoryDevice device = MemoryDevice.ofSize(SIZE);
    device.write(0, ByteBuffer.wrap(new byte[SIZE]).put(8192, (byte) 1));
    return device;
  }
}
