package io.jdm.blockdev.layer;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DelayingDeviceTest {
  private static final Duration DELAY = Duration.ofMillis(20);

  @Test
  void eachKindWaitsAtLeastItsTime() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(512);
    BlockDevice slow = slow(DELAY, DELAY.multipliedBy(2), DELAY.multipliedBy(3));
    assertThat(timeOf(() -> slow.read(0, buffer.clear()))).isGreaterThanOrEqualTo(DELAY);
    Duration write = DELAY.multipliedBy(2);
    assertThat(timeOf(() -> slow.write(0, buffer.clear()))).isGreaterThanOrEqualTo(write);
    assertThat(timeOf(() -> slow.writeFua(0, buffer.clear()))).isGreaterThanOrEqualTo(write);
    assertThat(timeOf(() -> slow.discard(0, 512))).isGreaterThanOrEqualTo(write);
    assertThat(timeOf(() -> slow.writeZeroes(0, 512))).isGreaterThanOrEqualTo(write);
    assertThat(timeOf(slow::flush)).isGreaterThanOrEqualTo(DELAY.multipliedBy(3));
  }

  @Test
  void anInterruptDoesNotShortenTheWait() throws IOException {
    BlockDevice slow = slow(DELAY, DELAY, DELAY);
    Thread.currentThread().interrupt();
    Duration time = timeOf(() -> slow.read(0, ByteBuffer.allocate(512)));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(time).isGreaterThanOrEqualTo(DELAY);
  }

  @Test
  void requestsWaitSideBySide() throws Exception {
    BlockDevice slow = slow(DELAY, Duration.ZERO, Duration.ZERO);
    AtomicInteger waiting = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();
    Threads.runTogether(
        20,
        thread -> {
          together.accumulateAndGet(waiting.incrementAndGet(), Math::max);
          slow.read(0, ByteBuffer.allocate(512));
          waiting.decrementAndGet();
        });
    assertThat(together).hasValueGreaterThan(1);
  }

  private interface Request {
    void run() throws IOException;
  }

  private static Duration timeOf(Request request) throws IOException {
    long start = System.nanoTime();
    request.run();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static BlockDevice slow(Duration read, Duration write, Duration flush) {
    return DelayingDevice.of(MemoryDevice.ofSize(4096), read, write, flush);
  }
}
