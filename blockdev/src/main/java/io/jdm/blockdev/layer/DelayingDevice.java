package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A device that is slow: each request waits before it is passed on. Waiting requests do not hold up
 * each other. As in the kernel's delay target, discard and write-zeroes wait as long as writes do.
 */
public final class DelayingDevice extends LayerDevice {
  private final long readNanos;
  private final long writeNanos;
  private final long flushNanos;

  private DelayingDevice(BlockDevice below, long readNanos, long writeNanos, long flushNanos) {
    super(below);
    this.readNanos = readNanos;
    this.writeNanos = writeNanos;
    this.flushNanos = flushNanos;
  }

  /** A device whose reads, writes and flushes each take this much longer; zero is no delay. */
  public static DelayingDevice of(
      BlockDevice below, Duration read, Duration write, Duration flush) {
    return new DelayingDevice(below, read.toNanos(), write.toNanos(), flush.toNanos());
  }

  @Override
  public String describe() {
    return "delayed " + below.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    delay(readNanos);
    super.doRead(offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    delay(writeNanos);
    super.doWrite(offset, src);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    delay(writeNanos);
    super.doWriteFua(offset, src);
  }

  @Override
  protected void doFlush() throws IOException {
    delay(flushNanos);
    super.doFlush();
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    delay(writeNanos);
    super.doDiscard(offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    delay(writeNanos);
    super.doWriteZeroes(offset, length);
  }

  private void delay(long nanos) {
    if (nanos <= 0) {
      return;
    }
    long end = System.nanoTime() + nanos;
    boolean interrupted = false;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
