package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * A device that fails on purpose, with {@link Errno#EIO}: what every error path is tested with. It
 * works until a {@link Fault} is injected, and again after {@link #heal()}.
 */
public final class FailingDevice extends LayerDevice {
  private static final Fault NEVER = (operation, offset, length) -> false;

  private final LongAdder failures = new LongAdder();
  private volatile Fault fault = NEVER;
  private volatile boolean torn;

  private FailingDevice(BlockDevice below) {
    super(below);
  }

  /** A device without a fault as yet. */
  public static FailingDevice of(BlockDevice below) {
    return new FailingDevice(below);
  }

  /** Lets the requests fail that this fault strikes, instead of those of the fault before it. */
  public void inject(Fault fault) {
    this.torn = false;
    this.fault = fault;
  }

  /** The same, but of a write that fails the first half (in whole blocks) is written. */
  public void injectTorn(Fault fault) {
    this.torn = true;
    this.fault = fault;
  }

  /** No request fails any more. */
  public void heal() {
    fault = NEVER;
  }

  /** How many requests failed here since the beginning. */
  public long failures() {
    return failures.sum();
  }

  @Override
  public String describe() {
    return "failing " + below.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    check(Operation.READ, offset, dst.remaining());
    super.doRead(offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    checkWrite(Operation.WRITE, offset, src);
    super.doWrite(offset, src);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    checkWrite(Operation.WRITE_FUA, offset, src);
    super.doWriteFua(offset, src);
  }

  @Override
  protected void doFlush() throws IOException {
    check(Operation.FLUSH, 0, 0);
    super.doFlush();
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    check(Operation.DISCARD, offset, length);
    super.doDiscard(offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    check(Operation.WRITE_ZEROES, offset, length);
    super.doWriteZeroes(offset, length);
  }

  private void checkWrite(Operation operation, long offset, ByteBuffer src) throws IOException {
    int length = src.remaining();
    if (fault.strikes(operation, offset, length)) {
      if (torn) {
        int half = (length / 2) & -limits().logicalBlockSize();
        below.write(offset, src.slice(src.position(), half));
      }
      throw injected(operation, offset, length);
    }
  }

  private void check(Operation operation, long offset, long length) throws DeviceException {
    if (fault.strikes(operation, offset, length)) {
      throw injected(operation, offset, length);
    }
  }

  private DeviceException injected(Operation operation, long offset, long length) {
    failures.increment();
    return failure(
        Errno.EIO, "injected failure of a " + operation + " of " + length + " bytes at " + offset);
  }
}
