package io.jdm.mapper;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One line of a table: maps I/O on a range of the mapped device to other devices. Offsets are bytes
 * from the start of the target. The mapped device has checked the range and the alignment to {@link
 * #limits()}, has split requests at target boundaries (reads and writes also at {@link
 * #maxIoLength()}), and keeps I/O away while suspended; buffers and errors are treated as by {@link
 * io.jdm.blockdev.BlockDevice}. I/O methods run in parallel, with each other and with the rest; the
 * others one at a time.
 */
public abstract class Target implements AutoCloseable {
  static final String NO_MESSAGES = "Target type does not support messages";

  /** Fills {@code dst}. */
  public abstract void read(long offset, ByteBuffer dst) throws IOException;

  /**
   * Writes all of {@code src}.
   *
   * @param fua whether it must be on stable storage when this returns
   */
  public abstract void write(long offset, ByteBuffer src, boolean fua) throws IOException;

  /** Flushes every device below. */
  public abstract void flush() throws IOException;

  /**
   * Whether {@link #discard} works; asked again for each request, since it may follow the device
   * below.
   */
  public boolean supportsDiscard() {
    return false;
  }

  /** Only called when {@link #supportsDiscard()}. */
  public void discard(long offset, long length) throws IOException {
    throw new DeviceException(Errno.EOPNOTSUPP, "discard is not supported by this target");
  }

  /** Whether {@link #writeZeroes} works; if not, zeros are written as data. */
  public boolean supportsWriteZeroes() {
    return false;
  }

  /** Only called when {@link #supportsWriteZeroes()}. */
  public void writeZeroes(long offset, long length) throws IOException {
    throw new DeviceException(Errno.EOPNOTSUPP, "write-zeroes is not supported by this target");
  }

  /**
   * What is known of bytes without reading them, as {@link io.jdm.blockdev.BlockDevice#extent}
   * tells it; may be longer than asked.
   */
  public Extent extent(long offset, long length) throws IOException {
    return Extent.data(length);
  }

  /** Sizes that requests must and should have. */
  public abstract Limits limits();

  /**
   * Bytes at whose multiples (from the target's start) reads and writes are split, or 0: a stripe's
   * chunk. Asked once.
   */
  public long maxIoLength() {
    return 0;
  }

  /** What {@code status} prints after the type; may be empty. */
  public String status() {
    return "";
  }

  /**
   * The arguments that make this target again, what {@code table} prints after the type.
   *
   * @param showKeys whether keys are printed; otherwise zeros stand for them
   */
  public abstract String table(boolean showKeys);

  /**
   * Answers a message.
   *
   * @return the reply, or an empty string
   */
  public String message(Arguments words) throws TargetException {
    throw new TargetException(Errno.EINVAL, NO_MESSAGES, "");
  }

  /** Suspending begins; I/O still runs. */
  public void presuspend() {}

  /** Suspending failed after {@link #presuspend()}; the device goes on. */
  public void presuspendUndo() {}

  /** No I/O is in flight and none will come until {@link #resume()}. */
  public void postsuspend() {}

  /** May refuse to go on; the device then stays suspended. */
  public void preresume() throws TargetException {}

  /** I/O comes again. */
  public void resume() {}

  /** Releases what the target holds and wipes its keys; its devices belong to the table. */
  @Override
  public void close() {}
}
