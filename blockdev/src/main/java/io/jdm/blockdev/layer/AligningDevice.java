package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.blockdev.io.RangeLock;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Byte access to a device that wants whole blocks. Aligned requests and the aligned middle of
 * others go through without a copy; the blocks at an unaligned head and tail are read, changed and
 * written back.
 *
 * <p>Every change locks its blocks: read-modify-write exclusively, aligned writes shared with each
 * other. So an aligned write can never be undone by a read-modify-write that read the block before.
 * That holds for everything written through one {@code AligningDevice}, not for writers beside it.
 */
public final class AligningDevice extends LayerDevice {
  /** Buffers kept for threads that change parts of blocks at the same time. */
  private static final int IDLE_BUFFERS = 16;

  private final int block;
  private final Limits limits;
  private final RangeLock lock = new RangeLock();
  private final BufferPool buffers;

  private AligningDevice(BlockDevice below) {
    super(below);
    Limits wanted = below.limits();
    this.block = wanted.logicalBlockSize();
    this.limits = new Limits(1, Math.max(wanted.preferredIoSize(), block), wanted.maximumIoSize());
    this.buffers = new BufferPool(block, IDLE_BUFFERS);
  }

  /** A view of a device with byte access. A last part of a block is not part of the view. */
  public static AligningDevice of(BlockDevice below) {
    return new AligningDevice(below);
  }

  @Override
  public long size() {
    return below.size() & -block;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public String describe() {
    return "byte access to " + below.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    int length = dst.remaining();
    if (isAligned(offset, length)) {
      below.read(offset, dst);
      return;
    }
    int limit = dst.limit();
    long position = offset;
    BufferPool.Lease lease = buffers.lease();
    try {
      while (dst.position() < limit) {
        int left = limit - dst.position();
        int whole = wholeBlocks(position, left);
        if (whole > 0) {
          dst.limit(dst.position() + whole);
          below.read(position, dst);
          dst.limit(limit);
          position += whole;
        } else {
          int from = within(position);
          int part = Math.min(block - from, left);
          ByteBuffer buffer = lease.buffer();
          below.read(position - from, buffer.clear());
          dst.put(dst.position(), buffer, from, part).position(dst.position() + part);
          position += part;
        }
      }
    } finally {
      lease.wipeAndClose();
      dst.limit(limit);
    }
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    write(offset, src, false);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    write(offset, src, true);
  }

  private void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    int length = src.remaining();
    if (isAligned(offset, length)) {
      RangeLock.Range range = lock.lockShared(offset, length);
      try {
        writeBelow(offset, src, fua);
      } finally {
        lock.unlock(range);
      }
      return;
    }
    int limit = src.limit();
    long position = offset;
    BufferPool.Lease lease = buffers.lease();
    RangeLock.Range range = lockBlocks(offset, length);
    try {
      while (src.position() < limit) {
        int left = limit - src.position();
        int whole = wholeBlocks(position, left);
        if (whole > 0) {
          src.limit(src.position() + whole);
          writeBelow(position, src, fua);
          src.limit(limit);
          position += whole;
        } else {
          int from = within(position);
          int part = Math.min(block - from, left);
          ByteBuffer buffer = lease.buffer();
          below.read(position - from, buffer.clear());
          buffer.put(from, src, src.position(), part);
          writeBelow(position - from, buffer.clear(), fua);
          src.position(src.position() + part);
          position += part;
        }
      }
    } finally {
      lock.unlock(range);
      lease.wipeAndClose();
      src.limit(limit);
    }
  }

  private void writeBelow(long offset, ByteBuffer src, boolean fua) throws IOException {
    if (fua) {
      below.writeFua(offset, src);
    } else {
      below.write(offset, src);
    }
  }

  /** Discards the whole blocks of the range; nothing is promised about the content of the rest. */
  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    long start = (offset + block - 1) & -block;
    long end = (offset + length) & -block;
    if (start < end) {
      RangeLock.Range range = lock.lockShared(start, end - start);
      try {
        below.discard(start, end - start);
      } finally {
        lock.unlock(range);
      }
    }
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    if (isAligned(offset, length)) {
      RangeLock.Range range = lock.lockShared(offset, length);
      try {
        below.writeZeroes(offset, length);
      } finally {
        lock.unlock(range);
      }
      return;
    }
    long end = offset + length;
    long position = offset;
    BufferPool.Lease lease = buffers.lease();
    RangeLock.Range range = lockBlocks(offset, length);
    try {
      while (position < end) {
        int from = within(position);
        if (from == 0 && end - position >= block) {
          long whole = (end - position) & -block;
          below.writeZeroes(position, whole);
          position += whole;
        } else {
          int part = (int) Math.min(block - from, end - position);
          ByteBuffer buffer = lease.buffer();
          below.read(position - from, buffer.clear());
          BufferPool.zero(buffer, from, part);
          below.write(position - from, buffer.clear());
          position += part;
        }
      }
    } finally {
      lock.unlock(range);
      lease.wipeAndClose();
    }
  }

  @Override
  protected Extent doExtent(long offset, long length) throws IOException {
    int from = within(offset);
    long whole = (from + length + block - 1) & -block;
    Extent extent = below.extent(offset - from, whole);
    return from == 0 ? extent : new Extent(extent.length() - from, extent.state());
  }

  private RangeLock.Range lockBlocks(long offset, long length) {
    long start = offset & -block;
    return lock.lock(start, ((offset + length + block - 1) & -block) - start);
  }

  private boolean isAligned(long offset, long length) {
    return ((offset | length) & (block - 1)) == 0;
  }

  private int within(long position) {
    return (int) (position & (block - 1));
  }

  /** Bytes of whole blocks at the beginning of a range; 0 if it begins inside a block. */
  private int wholeBlocks(long position, int length) {
    return within(position) == 0 ? length & -block : 0;
  }
}
