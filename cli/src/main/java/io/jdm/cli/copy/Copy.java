package io.jdm.cli.copy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.blockdev.io.WorkerPool;
import io.jdm.blockdev.layer.AligningDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies all bytes of a device to the beginning of another one, pieces side by side. What is known
 * to read as zeros is not read. Zeros are only left out where the destination is known to have them
 * already; everywhere else they are written, as a hole if the destination offers that: over an
 * encrypted device, where a hole below does not read as zeros, they are written through it.
 *
 * <p>Devices stay the caller's. Used once; the counters may be read by any thread meanwhile.
 */
public final class Copy {
  /** What is known of the destination before the copy. */
  public enum Destination {
    /** Nothing: all of it is written. */
    UNKNOWN,
    /** It reads as zeros everywhere: a new file. */
    ZEROS,
    /**
     * It may have part of the source already, from a copy that was cut off: each piece is compared
     * and only written if it differs. So the result is right whatever was there, and there is no
     * journal that could be wrong.
     */
    PARTIAL
  }

  /** Bytes that are read, compared and written at once. */
  private static final int PIECE = 1 << 20;

  /** Bytes whose pieces the workers are given together. */
  private static final long STRETCH = 1L << 40;

  /** Zeros inside data are found in units of this. */
  private static final int GRAIN = 64 * 1024;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(GRAIN).asReadOnlyBuffer();

  /** What the source told of itself last; most pieces need not ask again. */
  private record Known(long start, Extent extent) {
    boolean holds(long offset) {
      return offset >= start && offset - start < extent.length();
    }

    Extent from(long offset) {
      return new Extent(extent.length() - (offset - start), extent.state());
    }
  }

  private final BlockDevice source;
  private final BlockDevice target;
  private final Destination destination;
  private final long size;
  private final int threads;
  private final BufferPool buffers;
  private final boolean cheapZeros;

  private final AtomicLong passed = new AtomicLong();
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong zeroed = new AtomicLong();
  private volatile Known known = new Known(0, Extent.data(1));

  /**
   * Prepares a copy.
   *
   * @param target writable
   * @param threads that read and write at the same time, at least 1
   * @throws DeviceException {@link Errno#ENOSPC} if the target is smaller than the source
   */
  public Copy(BlockDevice source, BlockDevice target, Destination destination, int threads)
      throws DeviceException {
    if (source.size() > target.size()) {
      throw new DeviceException(
          Errno.ENOSPC,
          "the source has "
              + source.size()
              + " bytes, the destination only "
              + target.size()
              + ": "
              + source.describe()
              + ", "
              + target.describe());
    }
    this.source = bytes(source);
    this.target = bytes(target);
    this.destination = destination;
    this.size = source.size();
    this.threads = threads;
    this.buffers = new BufferPool(PIECE, 2 * threads);
    this.cheapZeros = target.capabilities().contains(Capability.FAST_ZERO);
  }

  private static BlockDevice bytes(BlockDevice device) {
    return device.limits().logicalBlockSize() > 1 ? AligningDevice.of(device) : device;
  }

  /** Bytes of the source that the current pass has dealt with. */
  public long passed() {
    return passed.get();
  }

  /** Bytes that were written as data. */
  public long written() {
    return written.get();
  }

  /** Bytes that were written as zeros, or were zeros and left out. */
  public long zeroed() {
    return zeroed.get();
  }

  /** Bytes to copy. */
  public long size() {
    return size;
  }

  /**
   * Copies and flushes.
   *
   * @throws IOException the first failure; pieces that were begun have ended
   */
  public void copy() throws IOException {
    forEachPiece(this::copyPiece);
    target.flush();
  }

  /**
   * Reads both devices and compares them.
   *
   * @throws DeviceException {@link Errno#EIO} naming a byte that differs
   */
  public void verify() throws IOException {
    forEachPiece(this::verifyPiece);
  }

  @FunctionalInterface
  private interface PieceAction {
    void run(long offset, int length) throws IOException;
  }

  private void forEachPiece(PieceAction action) throws IOException {
    passed.set(0);
    try (WorkerPool workers = new WorkerPool("copy", threads - 1, Thread.NORM_PRIORITY)) {
      for (long start = 0; start < size && start >= 0; start += STRETCH) {
        long first = start;
        long end = start + Math.min(size - start, STRETCH);
        workers.run(
            (int) ((end - first + PIECE - 1) / PIECE),
            index -> {
              long offset = first + (long) index * PIECE;
              int length = (int) Math.min(PIECE, end - offset);
              action.run(offset, length);
              passed.addAndGet(length);
            });
      }
    }
  }

  private void copyPiece(long offset, int length) throws IOException {
    long end = offset + length;
    for (long at = offset; at < end; ) {
      Extent extent = sourceExtent(at).atMost(end - at);
      if (extent.isZero()) {
        zero(at, extent.length());
      } else {
        copyData(at, (int) extent.length());
      }
      at += extent.length();
    }
  }

  private Extent sourceExtent(long offset) throws IOException {
    Known last = known;
    if (!last.holds(offset)) {
      last = new Known(offset, source.extent(offset, size - offset));
      known = last;
    }
    return last.from(offset);
  }

  private void zero(long offset, long length) throws IOException {
    zeroed.addAndGet(length);
    boolean there =
        switch (destination) {
          case UNKNOWN -> false;
          case ZEROS -> true;
          case PARTIAL -> readsAsZeros(offset, length);
        };
    if (!there) {
      target.writeZeroes(offset, length);
    }
  }

  private boolean readsAsZeros(long offset, long length) throws IOException {
    Extent extent = target.extent(offset, length);
    return extent.isZero() && extent.length() == length;
  }

  private void copyData(long offset, int length) throws IOException {
    BufferPool.Lease lease = buffers.lease();
    try {
      ByteBuffer data = lease.buffer().clear().limit(length);
      source.read(offset, data);
      data.flip();
      if (destination != Destination.PARTIAL || differs(offset, data) >= 0) {
        write(offset, data);
      }
    } finally {
      lease.wipeAndClose();
    }
  }

  /** Index of a byte that is another one in the target, or -1. */
  private int differs(long offset, ByteBuffer data) throws IOException {
    BufferPool.Lease lease = buffers.lease();
    try {
      ByteBuffer there = lease.buffer().clear().limit(data.remaining());
      target.read(offset, there);
      return data.mismatch(there.flip());
    } finally {
      lease.wipeAndClose();
    }
  }

  /** Writes data; runs of zeros in it become holes where that costs nothing. */
  private void write(long offset, ByteBuffer data) throws IOException {
    int length = data.limit();
    int from = 0;
    while (from < length) {
      boolean zeros = isZeroGrain(data, from, length);
      int to = from + GRAIN;
      while (to < length && isZeroGrain(data, to, length) == zeros) {
        to += GRAIN;
      }
      to = Math.min(to, length);
      if (zeros) {
        zero(offset + from, to - from);
      } else {
        target.write(offset + from, data.limit(to).position(from));
        written.addAndGet(to - from);
      }
      data.limit(length);
      from = to;
    }
  }

  private boolean isZeroGrain(ByteBuffer data, int from, int length) {
    int grain = Math.min(GRAIN, length - from);
    return (cheapZeros || destination == Destination.ZEROS)
        && data.slice(from, grain).mismatch(ZEROS.slice(0, grain)) < 0;
  }

  private void verifyPiece(long offset, int length) throws IOException {
    Extent expected = sourceExtent(offset);
    if (expected.isZero() && expected.length() >= length && readsAsZeros(offset, length)) {
      return;
    }
    BufferPool.Lease lease = buffers.lease();
    try {
      ByteBuffer data = lease.buffer().clear().limit(length);
      source.read(offset, data);
      int differs = differs(offset, data.flip());
      if (differs >= 0) {
        throw new DeviceException(
            Errno.EIO,
            "the copy differs from the source at byte "
                + (offset + differs)
                + ": "
                + target.describe());
      }
    } finally {
      lease.wipeAndClose();
    }
  }
}
