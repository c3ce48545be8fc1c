package io.jdm.blockdev;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bytes at positions: a disk, an image file, a remote export, or a layer over another device. All
 * offsets and lengths are bytes. There is no seek state.
 *
 * <p>The public methods are final. They check that the device is open, the range lies inside it,
 * offset and length are multiples of the logical block size, and the device can do the operation;
 * then they call the {@code do} method of the implementation, which may rely on all of that.
 * Zero-length requests end there.
 *
 * <p>What an implementation owes:
 *
 * <ul>
 *   <li><b>Whole or throw.</b> {@link #doRead} fills the buffer, {@link #doWrite} takes all of it;
 *       position reaches limit. After a failure the content of a read buffer is undefined (but
 *       never another request's data) and any part of a write may have been done.
 *   <li><b>Thread-safe.</b> Calls run in parallel. Overlapping writes leave each logical block as
 *       one of them wrote it.
 *   <li><b>Write buffers are never changed</b>, and no buffer is kept after the call returns.
 *   <li><b>Flush is a barrier for what was finished before it.</b> Data of every write that
 *       returned before {@code flush} began is on stable storage when it returns.
 *   <li><b>Interrupts do not break it.</b> A caller's interrupt neither fails other callers nor
 *       closes anything; the interrupt status is kept.
 *   <li><b>Errors are {@link DeviceException}s</b> that end with {@link #describe()} of the device
 *       that failed.
 * </ul>
 *
 * Callers are free to use heap or direct buffers; page-aligned direct ones are several times faster
 * on files.
 */
public abstract class BlockDevice implements AutoCloseable {
  private static final int ZERO_CHUNK = 64 * 1024;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(ZERO_CHUNK).asReadOnlyBuffer();

  private final AtomicBoolean closed = new AtomicBoolean();

  /** The size in bytes now. It only ever changes where a mapped device's table is swapped. */
  public abstract long size();

  /**
   * The sizes requests must and should have. Cheap to ask: the same object until a table is
   * swapped.
   */
  public abstract Limits limits();

  /** What the device can do. Cheap to ask, like {@link #limits()}. */
  public abstract Set<Capability> capabilities();

  /** What this is, for messages: kind, name, range; never a key. */
  public abstract String describe();

  /** Reads {@code dst.remaining()} bytes from {@code offset} on. */
  public final void read(long offset, ByteBuffer dst) throws IOException {
    int length = dst.remaining();
    check("read", offset, length);
    if (length > 0) {
      doRead(offset, dst);
    }
  }

  /**
   * Writes all remaining bytes of {@code src} from {@code offset} on. The data may stay in volatile
   * caches.
   */
  public final void write(long offset, ByteBuffer src) throws IOException {
    int length = src.remaining();
    checkWritable("write", offset, length);
    if (length > 0) {
      doWrite(offset, src);
    }
  }

  /**
   * Writes like {@link #write} and returns when this data is on stable storage (forced unit
   * access).
   */
  public final void writeFua(long offset, ByteBuffer src) throws IOException {
    int length = src.remaining();
    checkWritable("FUA write", offset, length);
    if (length > 0) {
      doWriteFua(offset, src);
    }
  }

  /** Returns when all data of writes that returned before this call is on stable storage. */
  public final void flush() throws IOException {
    checkOpen("flush");
    doFlush();
  }

  /**
   * Tells the device that nobody needs these bytes. What they read as afterwards is undefined, but
   * never another device's data.
   *
   * @throws DeviceException {@link Errno#EOPNOTSUPP} without {@link Capability#DISCARD}
   */
  public final void discard(long offset, long length) throws IOException {
    checkWritable("discard", offset, length);
    if (!capabilities().contains(Capability.DISCARD)) {
      throw failure(Errno.EOPNOTSUPP, "discard is not supported");
    }
    if (length > 0) {
      doDiscard(offset, length);
    }
  }

  /** Makes these bytes read as zeros. They may end up unallocated where the device can do that. */
  public final void writeZeroes(long offset, long length) throws IOException {
    checkWritable("write-zeroes", offset, length);
    if (length > 0) {
      doWriteZeroes(offset, length);
    }
  }

  /**
   * What is known of the bytes from {@code offset} on without reading them. True when it is asked;
   * a write may change it at once. Nothing has to be known: everything may be data.
   *
   * @param length above 0
   * @return an extent that begins at {@code offset} and has at most {@code length} bytes, a
   *     multiple of the logical block size; what follows it may be alike
   */
  public final Extent extent(long offset, long length) throws IOException {
    check("extent query", offset, length);
    if (length < 1) {
      throw failure(Errno.EINVAL, "extent query of no bytes");
    }
    Extent found = doExtent(offset, length).atMost(length);
    int block = limits().logicalBlockSize();
    long whole = found.length() & -block;
    return whole == 0 ? Extent.data(block) : found.atMost(whole);
  }

  /**
   * Releases the device. Only the first call does anything; requests after it fail with {@link
   * Errno#ENODEV}.
   */
  @Override
  public final void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      doClose();
    }
  }

  /** False once {@link #close()} was called. */
  public final boolean isOpen() {
    return !closed.get();
  }

  protected abstract void doRead(long offset, ByteBuffer dst) throws IOException;

  protected abstract void doWrite(long offset, ByteBuffer src) throws IOException;

  /** A write and a flush, unless the device knows better. */
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    doWrite(offset, src);
    doFlush();
  }

  protected abstract void doFlush() throws IOException;

  /** Only called with {@link Capability#DISCARD}. */
  protected void doDiscard(long offset, long length) throws IOException {
    throw failure(Errno.EOPNOTSUPP, "discard is not supported");
  }

  /** Writes zeros, unless the device knows better. */
  protected void doWriteZeroes(long offset, long length) throws IOException {
    ByteBuffer zeros = ZEROS.duplicate();
    for (long done = 0; done < length; done += zeros.limit()) {
      zeros.position(0).limit((int) Math.min(ZERO_CHUNK, length - done));
      doWrite(offset + done, zeros);
    }
  }

  /**
   * Knows nothing, unless the device knows better.
   *
   * @return may be longer than asked
   */
  protected Extent doExtent(long offset, long length) throws IOException {
    return Extent.data(length);
  }

  protected abstract void doClose() throws IOException;

  /** An error of this device: the text, then what the device is. */
  protected final DeviceException failure(Errno errno, String text) {
    return new DeviceException(errno, text + ": " + describe());
  }

  /** An error of this device with its cause: the text, then what the device is. */
  protected final DeviceException failure(Errno errno, String text, Throwable cause) {
    return new DeviceException(errno, text + ": " + describe(), cause);
  }

  private void checkWritable(String operation, long offset, long length) throws DeviceException {
    check(operation, offset, length);
    if (!capabilities().contains(Capability.WRITE)) {
      throw failure(Errno.EPERM, operation + " on a read-only device");
    }
  }

  private void check(String operation, long offset, long length) throws DeviceException {
    checkOpen(operation);
    long size = size();
    if (offset < 0 || length < 0 || offset > size || length > size - offset) {
      throw failure(
          Errno.EINVAL,
          operation
              + " of "
              + length
              + " bytes at "
              + offset
              + " is outside the device of "
              + size
              + " bytes");
    }
    int block = limits().logicalBlockSize();
    if (((offset | length) & (block - 1)) != 0) {
      throw failure(
          Errno.EINVAL,
          operation
              + " of "
              + length
              + " bytes at "
              + offset
              + " is not a multiple of the block size of "
              + block
              + " bytes");
    }
  }

  private void checkOpen(String operation) throws DeviceException {
    if (closed.get()) {
      throw failure(Errno.ENODEV, operation + " on a closed device");
    }
  }

  @Override
  public final String toString() {
    return describe();
  }
}
