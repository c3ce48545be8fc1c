package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A bounded buffer cache over a device, with read-ahead and write-behind, like the kernel's page
 * cache over a block device: small sequential requests are served by copying, while a thread of the
 * device reads ahead and writes behind in large pieces. Byte access over any block size.
 *
 * <p><b>Writes</b> return when the data is in the cache. They are written to the device below when
 * a stream of writers has gone past a folio, when half of the dirty limit is reached, after a few
 * seconds, by {@link #flush} and by {@link #close}; in ascending order, each run of dirty blocks in
 * a folio as one request. A writer waits while the dirty limit is reached. Blocks that are
 * overwritten whole are never read; one that is written in part is read only if the rest does not
 * follow.
 *
 * <p><b>Reads</b> that go on where an earlier one ended are a stream: whole folios are read ahead
 * of it, up to a window that doubles until its maximum. Reads that belong to no stream and large
 * ones go past the cache where nothing is cached. A read at the same time as a write of the same
 * bytes may find some old and some new, as on the device below.
 *
 * <p><b>Flush and FUA.</b> Flush writes back everything finished before it and flushes below. A FUA
 * write goes through to a FUA write below.
 *
 * <p><b>A failed write-back</b> is reported by the next flush, and again by close unless another
 * flush has succeeded in between. The blocks stay dirty, and readable here; each flush tries them
 * again, and close a last time, after which they are lost. So when a flush succeeds, all data of
 * writes finished before it is on stable storage, whatever failed earlier. Writes fail once such
 * blocks fill the dirty limit.
 *
 * <p>Memory is {@link Options#capacity} outside the heap, taken as it is needed, zeroed by close.
 * It does not depend on the size of the device.
 */
public final class CachingDevice extends BlockDevice {
  private static final int SMALLEST_BLOCK = 512;
  private static final int SMALLEST_READ = 4096;
  private static final int SCRATCH_BLOCKS = 4;
  private static final Limits LIMITS = new Limits(1, 4096, Integer.MAX_VALUE);

  private final BlockDevice below;
  private final int folioSize;
  private final int folioShift;
  private final int blockSize;
  private final int readUnit;
  private final PageCache cache;
  private final ReadAhead readAhead;
  private final WriteBackErrors errors = new WriteBackErrors();
  private final Thread flusher;

  /**
   * How large the cache is and what it does on its own.
   *
   * @param name of the device, for the thread {@code flush/NAME}
   * @param capacity bytes of memory for data; at least four folios
   * @param folioSize bytes of the pieces in which the device is cached, read ahead and written
   *     behind; a power of two, at least 4096. A device with a larger block size gets that
   * @param dirtyLimit bytes of folios with data not yet written back at most; at least one folio,
   *     and one less than the capacity
   * @param readAhead bytes to read ahead of a stream at most; 0 for no read-ahead
   * @param dirtyExpire after at most this time data is written back without being asked to
   */
  public record Options(
      String name,
      int capacity,
      int folioSize,
      int dirtyLimit,
      int readAhead,
      Duration dirtyExpire) {
    /**
     * 16 MiB in folios of 512 KiB; up to 4 MiB written behind and 2 MiB read ahead, which together
     * fit the caches of most processors; written back after 5 seconds.
     */
    public static final Options DEFAULTS =
        new Options("", 16 << 20, 512 << 10, 4 << 20, 2 << 20, Duration.ofSeconds(5));

    public Options {
      if (Integer.bitCount(folioSize) != 1 || folioSize < 4096) {
        throw new IllegalArgumentException("folio size " + folioSize);
      }
      if (capacity / folioSize < 4) {
        throw new IllegalArgumentException("capacity " + capacity + " for folios of " + folioSize);
      }
      if (dirtyLimit < folioSize || dirtyLimit > capacity - folioSize) {
        throw new IllegalArgumentException("dirty limit " + dirtyLimit + " of " + capacity);
      }
      if (readAhead < 0) {
        throw new IllegalArgumentException("read-ahead " + readAhead);
      }
    }

    /** The same under the name of a device. */
    public Options withName(String name) {
      return new Options(name, capacity, folioSize, dirtyLimit, readAhead, dirtyExpire);
    }
  }

  /**
   * A cache over a device. It owns the device: closing the cache closes it. All access must go
   * through the cache from now on.
   */
  public static CachingDevice over(BlockDevice below, Options options) {
    CachingDevice device = new CachingDevice(below, options);
    device.flusher.start();
    return device;
  }

  private CachingDevice(BlockDevice below, Options options) {
    this.below = below;
    int deviceBlock = below.limits().logicalBlockSize();
    blockSize = Math.max(SMALLEST_BLOCK, deviceBlock);
    folioSize = Math.max(options.folioSize(), deviceBlock);
    folioShift = Integer.numberOfTrailingZeros(folioSize);
    int blockShift = Integer.numberOfTrailingZeros(blockSize);
    BufferPool scratch = new BufferPool(blockSize, SCRATCH_BLOCKS);
    Folio[] folios = new Folio[Math.max(4, options.capacity() / folioSize)];
    for (int i = 0; i < folios.length; i++) {
      folios[i] = new Folio(below, folioSize, blockShift, scratch);
    }
    int dirtyLimit = Math.max(1, options.dirtyLimit() / folioSize);
    cache = new PageCache(folios, dirtyLimit, options.dirtyExpire().toNanos());
    readUnit = Math.max(SMALLEST_READ, blockSize);
    readAhead = new ReadAhead(options.readAhead(), readUnit);
    flusher = new Thread(this::flushBehind, "flush/" + options.name());
    flusher.setDaemon(true);
  }

  @Override
  public long size() {
    return below.size();
  }

  @Override
  public Set<Capability> capabilities() {
    return below.capabilities();
  }

  @Override
  public Limits limits() {
    return LIMITS;
  }

  @Override
  public String describe() {
    return "cached " + below.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    int limit = dst.limit();
    int position = dst.position();
    while (position < limit) {
      int at = (int) offset & (folioSize - 1);
      int count = Math.min(limit - position, folioSize - at);
      long number = offset >> folioShift;
      Folio folio = cache.find(number);
      if (folio != null && folio.tryGet(number, at, dst, position, count)) {
        cache.touch(folio, at + count == folioSize);
        if (folio.ahead) {
          goAhead(folio, number);
        }
      } else {
        count = readMissing(offset, dst, position, count, limit);
      }
      offset += count;
      position += count;
    }
    dst.position(limit);
  }

  /** Reads at least {@code count} bytes that were not all in the cache; returns how many. */
  private int readMissing(long offset, ByteBuffer dst, int position, int count, int limit)
      throws IOException {
    int rest = limit - position;
    long number = offset >> folioShift;
    long folioEnd = (number + 1) << folioShift;
    int stream = rest < folioSize ? readAhead.advance(offset, offset + rest, folioEnd) : -1;
    if (stream < 0 && isAligned(offset | rest)) {
      int absent = absent(offset, rest);
      if (absent > 0) {
        readAround(offset, dst, position, absent);
        return absent;
      }
    }
    int window = stream < 0 ? 0 : readAhead.window(stream);
    int at = (int) offset & (folioSize - 1);
    int to = (int) Math.min(folioSize, (long) at + Math.max(count, window));
    Folio folio = acquire(number, false);
    try {
      folio.fill(at & -readUnit, (to + readUnit - 1) & -readUnit);
      folio.get(at, dst, position, count);
    } finally {
      cache.release(folio);
    }
    if (offset + window >= folioEnd) {
      askAhead(stream, number + 1);
    }
    return count;
  }

  /** How many bytes of a request from its start on are in folios that are not cached. */
  private int absent(long offset, int count) {
    int run = 0;
    while (run < count && cache.find((offset + run) >> folioShift) == null) {
      run += (int) Math.min(count - run, folioSize - ((offset + run) & (folioSize - 1)));
    }
    return run;
  }

  /**
   * Reads straight from below what was not in the cache at some moment of this request: the data
   * there is then at least as new as the request.
   */
  private void readAround(long offset, ByteBuffer dst, int position, int count) throws IOException {
    int limit = dst.limit();
    try {
      below.read(offset, dst.limit(position + count).position(position));
    } finally {
      dst.limit(limit);
    }
  }

  /** A stream has reached a folio that was read ahead for it. */
  private void goAhead(Folio folio, long number) {
    folio.ahead = false;
    long start = number << folioShift;
    int stream = readAhead.advance(start, start + folioSize, start + folioSize);
    if (stream >= 0) {
      askAhead(stream, number + 1);
    }
  }

  private void askAhead(int stream, long from) {
    long folios = Math.max(1, readAhead.window(stream) >> folioShift);
    long end = (size() + folioSize - 1) >> folioShift;
    if (from < end) {
      cache.readAhead(stream, from, Math.min(end, from + folios));
    }
  }

  private boolean isAligned(long offsetAndCount) {
    return (offsetAndCount & (below.limits().logicalBlockSize() - 1)) == 0;
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    int limit = src.limit();
    int position = src.position();
    while (position < limit) {
      int at = (int) offset & (folioSize - 1);
      int count = Math.min(limit - position, folioSize - at);
      long number = offset >> folioShift;
      Folio folio = cache.find(number);
      if (folio == null || !folio.tryPut(number, at, src, position, count)) {
        folio = acquire(number, true);
        try {
          folio.put(at, src, position, count);
        } finally {
          cache.release(folio);
        }
      }
      if (at + count == folioSize) {
        cache.passed(number);
      }
      offset += count;
      position += count;
    }
    src.position(limit);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    int limit = src.limit();
    int position = src.position();
    boolean single = (offset & (folioSize - 1)) + src.remaining() <= folioSize;
    while (position < limit) {
      int at = (int) offset & (folioSize - 1);
      int count = Math.min(limit - position, folioSize - at);
      Folio folio = acquire(offset >> folioShift, true);
      try {
        folio.put(at, src, position, count);
        folio.writeThrough(at, at + count, single);
      } finally {
        cache.release(folio);
      }
      offset += count;
      position += count;
    }
    if (!single) {
      below.flush();
    }
    src.position(limit);
  }

  private Folio acquire(long number, boolean dirtying) throws IOException {
    Folio folio = cache.acquire(number, dirtying);
    if (folio == null) {
      throw closed();
    }
    return folio;
  }

  private DeviceException closed() {
    return failure(Errno.ENODEV, "the device was closed meanwhile");
  }

  @Override
  protected void doFlush() throws IOException {
    long moment = cache.beginFlush();
    if (moment < 0) {
      throw closed();
    }
    IOException failure;
    try {
      failure = writeBackAll(moment);
    } finally {
      cache.endFlush();
    }
    below.flush();
    failure = errors.endFlush(failure);
    if (failure != null) {
      throw WriteBackErrors.report(failure);
    }
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    long from = (offset + blockSize - 1) & -blockSize;
    long to = wholeBlocksEnd(offset + length);
    if (from < to) {
      around(from, to, () -> below.discard(from, to - from));
    }
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    long from = (offset + blockSize - 1) & -blockSize;
    long to = wholeBlocksEnd(offset + length);
    if (from >= to || !capabilities().contains(Capability.FAST_ZERO)) {
      super.doWriteZeroes(offset, length);
      return;
    }
    around(from, to, () -> below.writeZeroes(from, to - from));
    super.doWriteZeroes(offset, from - offset);
    super.doWriteZeroes(to, offset + length - to);
  }

  private long wholeBlocksEnd(long end) {
    return end == size() ? end : end & -blockSize;
  }

  @FunctionalInterface
  private interface Request {
    void run() throws IOException;
  }

  /** Sends a request that replaces whole blocks below, and forgets what is cached of them. */
  private void around(long from, long to, Request request) throws IOException {
    long first = from >> folioShift;
    long last = ((to - 1) >> folioShift) + 1;
    List<Folio> folios = cache.bar(first, last);
    if (folios == null) {
      throw closed();
    }
    try {
      folios.forEach(Folio::lock);
      boolean done = false;
      try {
        request.run();
        done = true;
      } finally {
        for (Folio folio : folios) {
          long start = folio.number << folioShift;
          int begin = (int) Math.max(0, from - start);
          int end = (int) Math.min(folioSize, to - start);
          if (done) {
            folio.drop(begin, end);
          } else {
            folio.dropClean(begin, end);
          }
          cache.release(folio);
        }
      }
    } finally {
      cache.admit(first, last);
    }
  }

  /** Writes back all folios that became dirty up to a moment; returns the first failure. */
  private IOException writeBackAll(long moment) {
    IOException failure = null;
    Folio folio = cache.nextDirty(Folio.NONE, moment);
    while (folio != null) {
      long number = folio.number;
      failure = WriteBackErrors.join(failure, writeBack(folio));
      folio = cache.nextDirty(number, moment);
    }
    return failure;
  }

  private IOException writeBack(Folio folio) {
    IOException failure = null;
    folio.lock();
    try {
      folio.completePartial();
    } catch (IOException | RuntimeException | Error e) {
      failure = asFailure(e);
    }
    folio.toShared();
    try {
      folio.writeBack();
    } catch (IOException | RuntimeException | Error e) {
      failure = WriteBackErrors.join(failure, asFailure(e));
    }
    if (failure != null) {
      errors.add(failure);
    }
    cache.written(folio, failure);
    return failure;
  }

  /** Whatever goes wrong in write-back, the flusher lives on and somebody is told. */
  private IOException asFailure(Throwable e) {
    return e instanceof IOException known ? known : failure(Errno.EIO, "write-back: " + e, e);
  }

  private void flushBehind() {
    do {
      boolean busy = true;
      while (busy) {
        Folio wanted = cache.takeWanted();
        if (wanted != null) {
          readAhead(wanted);
        }
        Folio dirty = cache.takeDirty();
        if (dirty != null) {
          writeBack(dirty);
        }
        busy = wanted != null || dirty != null;
      }
    } while (cache.awaitWork());
  }

  private void readAhead(Folio folio) {
    try {
      folio.fill(0, folio.length());
    } catch (IOException | RuntimeException | Error e) {
      // The reader that needs these bytes will ask for them itself and get the error.
    } finally {
      cache.release(folio);
    }
  }

  /** What was written may still be here, where the device below does not know of it. */
  @Override
  protected Extent doExtent(long offset, long length) {
    return Extent.data(length);
  }

  @Override
  protected void doClose() throws IOException {
    cache.close();
    writeBackAll(Long.MAX_VALUE);
    cache.wipe();
    try (below) {
      IOException failure = errors.first();
      if (failure != null) {
        throw WriteBackErrors.report(failure);
      }
    }
  }
}
