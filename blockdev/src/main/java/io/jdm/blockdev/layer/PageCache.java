package io.jdm.blockdev.layer;

import io.jdm.blockdev.DeviceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Which folio holds which piece of the device, which are dirty, and what the flusher thread is to
 * do next. A fixed number of folios; what a folio holds is its own business.
 *
 * <p>Order of locks: a thread that has pinned a folio may hold that folio's lock and then take this
 * one. The other way round happens only for folios nobody has pinned, whose holders copy bytes and
 * ask for nothing more. Nobody waits for a condition while holding a folio.
 */
final class PageCache {
  private final int dirtyLimit;
  private final long expireNanos;
  private final Folio[] folios;
  private final FolioIndex index;
  private final ReentrantLock lock = new ReentrantLock();

  /** A folio was unpinned or cleaned, a barred range was opened, or the cache closes. */
  private final Condition changed = lock.newCondition();

  /** There may be something to do for the flusher. */
  private final Condition work = lock.newCondition();

  private final List<Barrier> barriers = new ArrayList<>();

  /** Numbers of the folios to read ahead, from and to (exclusive), for each stream. */
  private final long[] wantedFrom = new long[ReadAhead.STREAMS];

  private final long[] wantedTo = new long[ReadAhead.STREAMS];

  /** The stream whose turn it is. */
  private int turn;

  private int pinned;
  private int flushing;
  private int dirty;
  private int failed;
  private long cursor;
  private long expiry;
  private boolean pending;
  private boolean closing;

  /** Advances with every folio taken into use or made dirty. Read without lock as a hint. */
  private long tick;

  /** Folios {@code from} to {@code to} (exclusive) may not enter the cache. */
  private record Barrier(long from, long to) {
    boolean covers(long number) {
      return number >= from && number < to;
    }
  }

  /**
   * @param folios all there ever are, at least four
   * @param dirtyLimit how many of them may be dirty, at least one less
   * @param expireNanos after at most this time dirty data is written back
   */
  PageCache(Folio[] folios, int dirtyLimit, long expireNanos) {
    this.folios = folios;
    this.expiry = System.nanoTime() + expireNanos;
    this.dirtyLimit = dirtyLimit;
    this.expireNanos = expireNanos;
    this.index = new FolioIndex(folios.length);
  }

  /** The folio of this number, or null if at some moment during the call there was none. */
  Folio find(long number) {
    return index.find(number);
  }

  /**
   * Tells that a folio was used, for choosing which to give up.
   *
   * @param passed whether up to its end
   */
  void touch(Folio folio, boolean passed) {
    long now = tick;
    if (folio.used != now) {
      folio.used = now;
    }
    if (folio.passed != passed) {
      folio.passed = passed;
    }
  }

  /**
   * The folio of this number, pinned and held exclusively, empty if it was not here. Waits for a
   * free folio, and before making one dirty, for the flusher to get below the limit.
   *
   * @param dirtying whether the caller is going to write into it
   * @return null when the cache closes
   * @throws DeviceException the write-back failure if dirty folios that cannot be written leave no
   *     room, or ENOMEM
   */
  Folio acquire(long number, boolean dirtying) throws DeviceException {
    Folio folio = null;
    boolean held = false;
    lock.lock();
    try {
      while (folio == null) {
        if (closing) {
          return null;
        }
        if (!barred(number)) {
          Folio found = index.find(number);
          if (!dirtying || mayDirty(found)) {
            folio = found != null ? found : recycle(number, true);
            held = found == null;
          }
        }
        if (folio == null) {
          changed.awaitUninterruptibly();
        }
      }
      pin(folio);
      folio.passed = false;
      if (dirtying && !folio.dirty) {
        folio.dirty = true;
        folio.dirtied = ++tick;
        dirty++;
        if (dirty - failed == 1) {
          expiry = System.nanoTime() + expireNanos;
          signalWork();
        }
      }
    } finally {
      lock.unlock();
    }
    if (!held) {
      folio.lock();
    }
    return folio;
  }

  private boolean mayDirty(Folio folio) throws DeviceException {
    if (dirty < dirtyLimit || (folio != null && folio.dirty)) {
      return true;
    }
    if (failed < dirty) {
      return false;
    }
    IOException failure = null;
    for (Folio each : folios) {
      failure = failure == null ? each.failure : failure;
    }
    throw WriteBackErrors.report(failure);
  }

  /**
   * A clean folio with a new number, empty and held exclusively; null if there is none now. Takes
   * the one that was passed last, so that a stream goes round in little memory, which is then in
   * the processor's caches; else the least recently used.
   *
   * @param urgent whether it may be one that is probably in use
   */
  private Folio recycle(long number, boolean urgent) throws DeviceException {
    Folio victim = null;
    for (Folio folio : folios) {
      boolean free = folio.pins == 0 && !folio.dirty && (urgent || !isInUse(folio));
      if (free && (victim == null || isWorse(folio, victim))) {
        victim = folio;
      }
    }
    if (victim != null) {
      victim.allocate();
      victim.lock();
      victim.reset();
      victim.ahead = false;
      victim.passed = false;
      victim.used = ++tick;
      index.renumber(victim, number);
    }
    return victim;
  }

  private static boolean isWorse(Folio a, Folio b) {
    if (a.passed != b.passed) {
      return a.passed;
    }
    return a.passed ? a.used > b.used : a.used < b.used;
  }

  /**
   * Whether a reader will probably come back to it, or come at all if it was read ahead; so it is
   * not given up for reading ahead.
   */
  private boolean isInUse(Folio folio) {
    int recently = folio.ahead ? folios.length : folios.length / 4;
    return folio.number != Folio.NONE && !folio.passed && tick - folio.used < recently;
  }

  private void pin(Folio folio) {
    folio.pins++;
    pinned++;
  }

  /** Ends the use of a pinned folio that the caller holds, and lets go of it. */
  void release(Folio folio) {
    lock.lock();
    try {
      unpin(folio);
    } finally {
      lock.unlock();
    }
    folio.unlock();
  }

  private void unpin(Folio folio) {
    folio.pins--;
    pinned--;
    if (folio.pins == 0 && folio.dirty && !folio.hasDirtyBlocks()) {
      setFailure(folio, null);
      folio.dirty = false;
      dirty--;
    }
    if (isDue(folio)) {
      signalWork();
    }
    changed.signalAll();
  }

  private void signalWork() {
    pending = true;
    work.signal();
  }

  private void setFailure(Folio folio, IOException failure) {
    failed -= folio.failure == null ? 0 : 1;
    failed += failure == null ? 0 : 1;
    folio.failure = failure;
  }

  /** Tells that writers have gone past the end of a folio. */
  void passed(long number) {
    lock.lock();
    try {
      Folio folio = index.find(number);
      if (folio != null && folio.dirty && !folio.passed) {
        folio.passed = true;
        signalWork();
      }
    } finally {
      lock.unlock();
    }
  }

  // Reading ahead.

  /** Asks the flusher to read these folios ahead, and nothing else for this stream any more. */
  void readAhead(int stream, long from, long to) {
    lock.lock();
    try {
      wantedFrom[stream] = from;
      wantedTo[stream] = to;
      signalWork();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next folio to read ahead, pinned, held exclusively and empty; null for none. The streams
   * take turns.
   */
  Folio takeWanted() {
    lock.lock();
    try {
      for (int i = 0; i < ReadAhead.STREAMS && !closing; i++) {
        int stream = turn++ & (ReadAhead.STREAMS - 1);
        Folio folio = takeWanted(stream);
        if (folio != null) {
          folio.ahead = true;
          pin(folio);
          return folio;
        }
      }
      return null;
    } catch (DeviceException e) {
      // Without memory there is no read-ahead; whoever cannot do without is told.
      return null;
    } finally {
      lock.unlock();
    }
  }

  private Folio takeWanted(int stream) throws DeviceException {
    while (wantedFrom[stream] < wantedTo[stream]) {
      long number = wantedFrom[stream]++;
      if (!barred(number) && index.find(number) == null) {
        Folio folio = recycle(number, false);
        if (folio == null) {
          wantedTo[stream] = wantedFrom[stream];
        }
        return folio;
      }
    }
    return null;
  }

  // Writing back.

  /**
   * Waits until there may be work for the flusher, or dirty data is old enough.
   *
   * @return false when the cache closes
   */
  boolean awaitWork() {
    lock.lock();
    try {
      long nanos = dirty == failed ? Long.MAX_VALUE : expiry - System.nanoTime();
      while (!closing && !pending && nanos > 0) {
        try {
          nanos = work.awaitNanos(nanos);
        } catch (InterruptedException e) {
          // Nobody has a reason to interrupt the flusher, and data waits: go on.
        }
      }
      pending = false;
      return !closing;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The next folio to write back in ascending order from the last one, those that were passed
   * first; pinned. Null if there is none for now.
   */
  Folio takeDirty() {
    lock.lock();
    try {
      expire();
      Folio best = null;
      for (Folio folio : folios) {
        if (isDue(folio) && (best == null || isBefore(folio, best))) {
          best = folio;
        }
      }
      if (best == null || closing) {
        return null;
      }
      cursor = best.number + 1;
      pin(best);
      return best;
    } finally {
      lock.unlock();
    }
  }

  /** Lets all dirty data be written back that is here now, once in a while. */
  private void expire() {
    long now = System.nanoTime();
    if (now - expiry >= 0) {
      expiry = now + expireNanos;
      for (Folio folio : folios) {
        folio.passed |= folio.dirty;
      }
    }
  }

  /**
   * Whether the flusher should write it: its writers have gone past it, or so much is dirty that it
   * cannot wait for that; and nobody is using it.
   */
  private boolean isDue(Folio folio) {
    return folio.dirty
        && folio.pins == 0
        && folio.failure == null
        && (folio.passed || dirty > dirtyLimit / 2);
  }

  private boolean isBefore(Folio a, Folio b) {
    if (a.passed != b.passed) {
      return a.passed;
    }
    return Long.compareUnsigned(a.number - cursor, b.number - cursor) < 0;
  }

  /**
   * Begins a flush: close waits until it ends.
   *
   * @return the present moment, for {@link #nextDirty}, or -1 when the cache closes
   */
  long beginFlush() {
    lock.lock();
    try {
      if (closing) {
        return -1;
      }
      flushing++;
      return tick;
    } finally {
      lock.unlock();
    }
  }

  /** Ends a flush that began. */
  void endFlush() {
    lock.lock();
    try {
      flushing--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The dirty folio with the lowest number above another that became dirty no later than a moment,
   * pinned; null if there is none.
   */
  Folio nextDirty(long above, long moment) {
    lock.lock();
    try {
      Folio best = null;
      for (Folio folio : folios) {
        if (folio.dirty && folio.number > above && folio.dirtied <= moment) {
          if (best == null || folio.number < best.number) {
            best = folio;
          }
        }
      }
      if (best != null) {
        pin(best);
      }
      return best;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends a write-back of a folio that the caller holds, and lets go of it.
   *
   * @param failure why blocks are still dirty, which the flusher then leaves to the next flush; or
   *     null
   */
  void written(Folio folio, IOException failure) {
    lock.lock();
    try {
      setFailure(folio, failure);
      unpin(folio);
    } finally {
      lock.unlock();
    }
    folio.unlock();
  }

  // Requests that go round the cache.

  /**
   * Keeps folios {@code from} to {@code to} (exclusive) from entering the cache until {@link
   * #admit}, and pins those that are in it. Waits for others that do the same.
   *
   * @return the folios, or null when the cache closes
   */
  List<Folio> bar(long from, long to) {
    lock.lock();
    try {
      while (!closing && overlapsBarrier(from, to)) {
        changed.awaitUninterruptibly();
      }
      if (closing) {
        return null;
      }
      barriers.add(new Barrier(from, to));
      List<Folio> inside = new ArrayList<>();
      for (Folio folio : folios) {
        if (folio.number >= from && folio.number < to) {
          pin(folio);
          inside.add(folio);
        }
      }
      return inside;
    } finally {
      lock.unlock();
    }
  }

  /** Ends {@link #bar} of the same range. */
  void admit(long from, long to) {
    lock.lock();
    try {
      barriers.remove(new Barrier(from, to));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean barred(long number) {
    for (int i = 0; i < barriers.size(); i++) {
      if (barriers.get(i).covers(number)) {
        return true;
      }
    }
    return false;
  }

  private boolean overlapsBarrier(long from, long to) {
    for (Barrier barrier : barriers) {
      if (barrier.from() < to && from < barrier.to()) {
        return true;
      }
    }
    return false;
  }

  // The end.

  /** Refuses new work and returns when none is left, the flusher's included. */
  void close() {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
      work.signalAll();
      while (pinned + flushing + barriers.size() > 0) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Zeroes all memory; nothing is pinned. */
  void wipe() {
    lock.lock();
    try {
      for (Folio folio : folios) {
        folio.lock();
        index.renumber(folio, Folio.NONE);
        folio.wipe();
        folio.unlock();
      }
    } finally {
      lock.unlock();
    }
  }
}
