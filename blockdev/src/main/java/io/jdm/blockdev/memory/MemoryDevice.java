package io.jdm.blockdev.memory;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.io.BufferPool;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A device in memory outside the heap, sparse: a chunk of 64 KiB is allocated by the first write
 * into it that is not all zeros, and freed by a discard or write-zeroes of the whole chunk. The
 * content is wiped when it is freed and when the device closes.
 *
 * <p>Readers take no lock; writers of one chunk take turns.
 */
public final class MemoryDevice extends BlockDevice {
  private static final int CHUNK_SHIFT = 16;
  private static final int CHUNK = 1 << CHUNK_SHIFT;
  private static final int FANOUT_SHIFT = 10;
  private static final int FANOUT = 1 << FANOUT_SHIFT;
  private static final Set<Capability> CAPABILITIES =
      Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

  private final long size;
  private final Limits limits;

  /** Levels of the tree whose leaves hold the chunks; enough for every chunk number. */
  private final int levels;

  private final AtomicReferenceArray<Object> root = new AtomicReferenceArray<>(FANOUT);

  private MemoryDevice(long size, int logicalBlockSize) {
    this.size = size;
    this.limits = Limits.BYTES.withLogicalBlockSize(logicalBlockSize);
    int depth = 1;
    while (shift(depth) < Long.SIZE && (size - 1) >> shift(depth) > 0) {
      depth++;
    }
    this.levels = depth;
  }

  /**
   * A device with byte access, full of zeros.
   *
   * @param size in bytes, not negative; only what is written takes memory
   */
  public static MemoryDevice ofSize(long size) {
    return ofSize(size, 1);
  }

  /**
   * A device that wants whole blocks, full of zeros.
   *
   * @param size in bytes, a multiple of the block size
   * @param logicalBlockSize in bytes, a power of two
   */
  public static MemoryDevice ofSize(long size, int logicalBlockSize) {
    if (size < 0 || Integer.bitCount(logicalBlockSize) != 1 || size % logicalBlockSize != 0) {
      throw new IllegalArgumentException(
          "a size of " + size + " bytes in blocks of " + logicalBlockSize + " is not possible");
    }
    return new MemoryDevice(size, logicalBlockSize);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public Set<Capability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public String describe() {
    return "memory of " + size + " bytes";
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) {
    long position = offset;
    while (dst.hasRemaining()) {
      int from = (int) (position & (CHUNK - 1));
      int length = Math.min(CHUNK - from, dst.remaining());
      int at = dst.position();
      ByteBuffer chunk = find(position);
      if (chunk == null) {
        BufferPool.zero(dst, at, length);
      } else {
        dst.put(at, chunk, from, length);
      }
      dst.position(at + length);
      position += length;
    }
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws DeviceException {
    long position = offset;
    while (src.hasRemaining()) {
      int from = (int) (position & (CHUNK - 1));
      int length = Math.min(CHUNK - from, src.remaining());
      int at = src.position();
      ByteBuffer chunk = find(position);
      if (chunk == null && !isZero(src, at, length)) {
        chunk = findOrAllocate(position);
      }
      if (chunk != null) {
        synchronized (chunk) {
          chunk.put(from, src, at, length);
        }
      }
      src.position(at + length);
      position += length;
    }
  }

  /** Memory is as stable as it gets. */
  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws DeviceException {
    doWrite(offset, src);
  }

  @Override
  protected void doFlush() {}

  @Override
  protected void doDiscard(long offset, long length) {
    doWriteZeroes(offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) {
    long end = offset + length;
    for (long position = offset; position < end; ) {
      int from = (int) (position & (CHUNK - 1));
      int part = (int) Math.min(CHUNK - from, end - position);
      if (part == CHUNK) {
        position = free(position, end);
        continue;
      }
      ByteBuffer chunk = find(position);
      if (chunk != null) {
        synchronized (chunk) {
          BufferPool.zero(chunk, from, part);
        }
      }
      position += part;
    }
  }

  @Override
  protected Extent doExtent(long offset, long length) {
    boolean hole = emptyUpTo(offset) > offset;
    long end = offset + length;
    long position = offset;
    while (position < end) {
      long empty = emptyUpTo(position);
      if (empty > position != hole) {
        break;
      }
      position = hole ? empty : (position | (CHUNK - 1)) + 1;
    }
    return new Extent(position - offset, hole ? Extent.State.HOLE : Extent.State.DATA);
  }

  /** Where the empty part of the tree that holds a byte ends; the byte itself if it has a chunk. */
  private long emptyUpTo(long position) {
    AtomicReferenceArray<?> node = root;
    for (int level = levels - 1; level >= 0; level--) {
      Object child = node.get(slot(position, level));
      if (child == null) {
        int shift = shift(level);
        long next = ((position >> shift) + 1) << shift;
        return next < 0 ? Long.MAX_VALUE : next;
      }
      if (level > 0) {
        node = (AtomicReferenceArray<?>) child;
      }
    }
    return position;
  }

  @Override
  protected void doClose() {
    wipe(root, levels - 1);
  }

  /** The chunk that holds a byte, or null if it was never written. */
  ByteBuffer find(long position) {
    AtomicReferenceArray<?> node = root;
    for (int level = levels - 1; level > 0 && node != null; level--) {
      node = (AtomicReferenceArray<?>) node.get(slot(position, level));
    }
    return node == null ? null : (ByteBuffer) node.get(slot(position, 0));
  }

  private ByteBuffer findOrAllocate(long position) throws DeviceException {
    AtomicReferenceArray<Object> node = root;
    for (int level = levels - 1; level > 0; level--) {
      node = child(node, slot(position, level));
    }
    int slot = slot(position, 0);
    Object chunk = node.get(slot);
    if (chunk == null) {
      Object allocated = allocate();
      chunk = node.compareAndExchange(slot, null, allocated);
      chunk = chunk == null ? allocated : chunk;
    }
    return (ByteBuffer) chunk;
  }

  private ByteBuffer allocate() throws DeviceException {
    try {
      return BufferPool.allocateAligned(CHUNK);
    } catch (OutOfMemoryError e) {
      throw failure(Errno.ENOMEM, "no memory for another " + CHUNK + " bytes", e);
    }
  }

  @SuppressWarnings("unchecked")
  private static AtomicReferenceArray<Object> child(AtomicReferenceArray<Object> node, int slot) {
    Object child = node.get(slot);
    if (child == null) {
      Object allocated = new AtomicReferenceArray<>(FANOUT);
      child = node.compareAndExchange(slot, null, allocated);
      child = child == null ? allocated : child;
    }
    return (AtomicReferenceArray<Object>) child;
  }

  /**
   * Frees the chunk at a position, or passes over the whole subtree there if there is none.
   *
   * @return the next position to look at, at most {@code end} rounded down to a whole chunk
   */
  private long free(long position, long end) {
    AtomicReferenceArray<?> node = root;
    for (int level = levels - 1; level > 0; level--) {
      node = (AtomicReferenceArray<?>) node.get(slot(position, level));
      if (node == null) {
        int shift = shift(level);
        long next = ((position >> shift) + 1) << shift;
        return next < 0 || next > end ? end & -CHUNK : next;
      }
    }
    Object chunk = node.getAndSet(slot(position, 0), null);
    if (chunk != null) {
      BufferPool.zero((ByteBuffer) chunk);
    }
    return position + CHUNK;
  }

  private static void wipe(AtomicReferenceArray<?> node, int level) {
    for (int i = 0; i < FANOUT; i++) {
      Object child = node.getAndSet(i, null);
      if (child instanceof ByteBuffer chunk) {
        BufferPool.zero(chunk);
      } else if (child != null) {
        wipe((AtomicReferenceArray<?>) child, level - 1);
      }
    }
  }

  /** log2 of the bytes that one slot of a node on a level covers; 0 is the level of the chunks. */
  private static int shift(int level) {
    return CHUNK_SHIFT + level * FANOUT_SHIFT;
  }

  private static int slot(long position, int level) {
    return (int) (position >> shift(level)) & (FANOUT - 1);
  }

  private static boolean isZero(ByteBuffer buffer, int from, int length) {
    int i = from;
    for (; i <= from + length - Long.BYTES; i += Long.BYTES) {
      if (buffer.getLong(i) != 0) {
        return false;
      }
    }
    for (; i < from + length; i++) {
      if (buffer.get(i) != 0) {
        return false;
      }
    }
    return true;
  }
}
