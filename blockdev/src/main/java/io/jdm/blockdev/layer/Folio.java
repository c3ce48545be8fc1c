package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.StampedLock;

/**
 * A piece of the cached device and its state for each block, like the kernel's folio with
 * iomap_folio_state: <em>up to date</em> (memory holds the block's data) and <em>dirty</em> (and
 * the device below does not yet). Positions in it are bytes from its start; blocks are the unit of
 * I/O below.
 *
 * <p>One block may be <em>partial</em>: some of its bytes were written, the rest was never read.
 * The next write usually brings the rest (a sequential stream of any request size), so the block is
 * only read from below when something else needs it whole.
 *
 * <p>The lock is held exclusively to change data and for reads from below, shared while blocks are
 * written back (data must not change under the device's hands, but may be read), and not at all by
 * readers that find their data: they copy optimistically and validate. Fields in the second group
 * belong to the {@link PageCache}.
 */
final class Folio {
  static final long NONE = -1;

  private final BlockDevice below;
  private final int size;
  private final int blockShift;
  private final int blockSize;
  private final BlockMap uptodate;
  private final BlockMap dirtyBlocks;
  private final BufferPool scratch;
  private final StampedLock lock = new StampedLock();

  /** Data; null until first used. {@link #io} is a view for requests below. */
  private ByteBuffer data;

  private ByteBuffer io;
  private long stamp;

  /** The bytes of the partial block that are here; none if {@code partialTo} is 0. */
  private int partialFrom;

  private int partialTo;

  /** Which piece of the device: offset divided by the folio size. Changed under the lock. */
  long number = NONE;

  /** Chain of {@link FolioIndex}. */
  Folio next;

  // Guarded by the cache's lock, unless said otherwise.

  /** Requests that work on this folio and keep it from being given another number. */
  int pins;

  /** Whether it may have dirty blocks; cleared only under this folio's lock too. */
  boolean dirty;

  /** When it became dirty, in ticks. */
  long dirtied;

  /**
   * Readers or writers have gone past its end, or nobody has come for long: it can be written back,
   * and is the first to be given up. Set without lock by readers.
   */
  boolean passed;

  /** Why the last write-back failed; null if it did not. */
  IOException failure;

  /** Read ahead and not yet asked for. Read without lock as a hint. */
  boolean ahead;

  /** When it was last used, in ticks. Written without lock by readers. */
  long used;

  Folio(BlockDevice below, int size, int blockShift, BufferPool scratch) {
    this.below = below;
    this.size = size;
    this.blockShift = blockShift;
    this.blockSize = 1 << blockShift;
    this.uptodate = new BlockMap(size >> blockShift);
    this.dirtyBlocks = new BlockMap(size >> blockShift);
    this.scratch = scratch;
  }

  /** Waits for exclusive use. */
  void lock() {
    stamp = lock.writeLock();
  }

  /** Turns exclusive use into shared use with readers. */
  void toShared() {
    stamp = lock.tryConvertToReadLock(stamp);
  }

  void unlock() {
    lock.unlock(stamp);
  }

  /** Makes sure that it has memory; nobody uses it. */
  void allocate() throws DeviceException {
    if (data == null) {
      try {
        data = BufferPool.allocateAligned(size);
      } catch (OutOfMemoryError e) {
        throw new DeviceException(
            Errno.ENOMEM, "no memory to cache " + size + " bytes: " + below.describe(), e);
      }
      io = data.duplicate();
    }
  }

  /** Empties it for a new number; held exclusively. */
  void reset() {
    uptodate.clear();
    dirtyBlocks.clear();
    partialTo = 0;
  }

  /** Zeroes and drops the memory; held exclusively. */
  void wipe() {
    uptodate.clear();
    dirtyBlocks.clear();
    partialTo = 0;
    if (data != null) {
      BufferPool.zero(data);
      data = null;
      io = null;
    }
  }

  /**
   * Copies {@code count} bytes at {@code at} into {@code dst} at {@code position} if the folio has
   * that number and these bytes. Takes no lock unless it races with a writer; waits for a read from
   * below that is on its way.
   */
  boolean tryGet(long number, int at, ByteBuffer dst, int position, int count) {
    long seen = lock.tryOptimisticRead();
    boolean copied = false;
    if (seen != 0) {
      copied = tryGetUnlocked(number, at, dst, position, count);
      if (lock.validate(seen)) {
        return copied;
      }
    }
    seen = lock.readLock();
    try {
      if (tryGetUnlocked(number, at, dst, position, count)) {
        return true;
      }
    } finally {
      lock.unlockRead(seen);
    }
    if (copied) {
      // By now it may be another piece of the device that was copied.
      BufferPool.zero(dst.slice(position, count));
    }
    return false;
  }

  private boolean tryGetUnlocked(long number, int at, ByteBuffer dst, int position, int count) {
    ByteBuffer source = data;
    if (source == null || this.number != number || !isUptodate(at, count)) {
      return false;
    }
    dst.put(position, source, at, count);
    return true;
  }

  /** Copies bytes that are up to date. */
  void get(int at, ByteBuffer dst, int position, int count) {
    dst.put(position, data, at, count);
  }

  private boolean isUptodate(int at, int count) {
    return (uptodate.nextClear(at >> blockShift) << blockShift) >= at + count;
  }

  /**
   * Takes {@code count} bytes of {@code src} at {@code position} if the folio has that number and
   * is dirty already; otherwise the cache has to count it first.
   */
  boolean tryPut(long number, int at, ByteBuffer src, int position, int count) throws IOException {
    long held = lock.writeLock();
    try {
      if (this.number != number || !dirty) {
        return false;
      }
      put(at, src, position, count);
      return true;
    } finally {
      lock.unlockWrite(held);
    }
  }

  /** Takes {@code count} bytes of {@code src}; held exclusively. */
  void put(int at, ByteBuffer src, int position, int count) throws IOException {
    int end = at + count;
    int start = at;
    if ((at & (blockSize - 1)) != 0) {
      start = Math.min(end, roundUp(at));
      putPart(at, src, position, start - at);
    }
    // The last block of a device may be short.
    int whole = (end & (blockSize - 1)) == 0 || end == length() ? end : end & -blockSize;
    if (start < whole) {
      data.put(start, src, position + start - at, whole - start);
      int from = start >> blockShift;
      int to = roundUp(whole) >> blockShift;
      uptodate.set(from, to);
      dirtyBlocks.set(from, to);
      if (partialTo > start && partialFrom < whole) {
        partialTo = 0;
      }
      start = whole;
    }
    if (start < end) {
      putPart(start, src, position + start - at, end - start);
    }
  }

  private void putPart(int at, ByteBuffer src, int position, int count) throws IOException {
    int block = at >> blockShift;
    int end = at + count;
    if (!uptodate.get(block) && partialTo != 0) {
      boolean touches =
          (partialFrom >> blockShift) == block && at <= partialTo && end >= partialFrom;
      if (!touches) {
        completePartial();
      }
    }
    data.put(at, src, position, count);
    if (uptodate.get(block)) {
      dirtyBlocks.set(block);
      return;
    }
    partialFrom = partialTo == 0 ? at : Math.min(partialFrom, at);
    partialTo = Math.max(partialTo, end);
    if (partialFrom == (block << blockShift) && partialTo == blockEnd(block)) {
      uptodate.set(block);
      dirtyBlocks.set(block);
      partialTo = 0;
    }
  }

  /** Reads what was never written of the partial block, if there is one; held exclusively. */
  void completePartial() throws IOException {
    if (partialTo == 0) {
      return;
    }
    int block = partialFrom >> blockShift;
    int start = block << blockShift;
    int end = blockEnd(block);
    BufferPool.Lease lease = scratch.lease();
    try {
      ByteBuffer whole = lease.buffer().limit(end - start);
      below.read(base() + start, whole);
      data.put(start, whole, 0, partialFrom - start);
      data.put(partialTo, whole, partialTo - start, end - partialTo);
    } finally {
      lease.wipeAndClose();
    }
    uptodate.set(block);
    dirtyBlocks.set(block);
    partialTo = 0;
  }

  /** Reads from below what is missing of the blocks between two positions; held exclusively. */
  void fill(int from, int to) throws IOException {
    int end = Math.min(length(), to);
    int block = from >> blockShift;
    int endBlock = roundUp(end) >> blockShift;
    if (partialTo > (block << blockShift) && partialFrom < end) {
      completePartial();
    }
    block = uptodate.nextClear(block);
    while (block < endBlock) {
      int next = Math.min(endBlock, uptodate.nextSet(block));
      int at = block << blockShift;
      below.read(base() + at, io.limit(Math.min(end, next << blockShift)).position(at));
      uptodate.set(block, next);
      block = uptodate.nextClear(next);
    }
  }

  /**
   * Writes all dirty blocks to the device below, each run of them in one request; those that were
   * written are clean. Held shared.
   *
   * @throws IOException the first failure, later ones suppressed; all runs were tried
   */
  void writeBack() throws IOException {
    IOException failure = null;
    int block = dirtyBlocks.nextSet(0);
    while (block < size >> blockShift) {
      int next = dirtyBlocks.nextClear(block);
      int at = block << blockShift;
      int end = Math.min(length(), next << blockShift);
      try {
        below.write(base() + at, io.limit(end).position(at));
        dirtyBlocks.clear(block, next);
      } catch (IOException e) {
        failure = WriteBackErrors.join(failure, e);
      }
      block = dirtyBlocks.nextSet(next);
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Writes the blocks of a range through to the device below, dirty or not; held exclusively.
   *
   * @param fua whether they must be on stable storage
   */
  void writeThrough(int from, int to, boolean fua) throws IOException {
    int at = from & -blockSize;
    int end = Math.min(length(), roundUp(to));
    if (partialTo > at && partialFrom < end) {
      completePartial();
    }
    io.limit(end).position(at);
    if (fua) {
      below.writeFua(base() + at, io);
    } else {
      below.write(base() + at, io);
    }
    dirtyBlocks.clear(at >> blockShift, roundUp(end) >> blockShift);
  }

  /** Forgets whole blocks, dirty ones too; held exclusively. */
  void drop(int from, int to) {
    uptodate.clear(from >> blockShift, roundUp(to) >> blockShift);
    dirtyBlocks.clear(from >> blockShift, roundUp(to) >> blockShift);
    if (partialTo > from && partialFrom < to) {
      partialTo = 0;
    }
  }

  /** Forgets whole blocks except dirty ones; held exclusively. */
  void dropClean(int from, int to) {
    uptodate.retain(dirtyBlocks, from >> blockShift, roundUp(to) >> blockShift);
  }

  /** Whether anything here is not yet on the device below; held. */
  boolean hasDirtyBlocks() {
    return partialTo != 0 || dirtyBlocks.nextSet(0) < size >> blockShift;
  }

  /** Bytes that the device has of this folio: all but in its last one. */
  int length() {
    return (int) Math.min(size, below.size() - base());
  }

  private long base() {
    return number * size;
  }

  private int blockEnd(int block) {
    return Math.min(length(), (block + 1) << blockShift);
  }

  private int roundUp(int position) {
    return (position + blockSize - 1) & -blockSize;
  }
}
