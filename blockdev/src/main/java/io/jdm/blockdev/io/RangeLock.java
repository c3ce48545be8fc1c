package io.jdm.blockdev.io;

import java.util.concurrent.locks.LockSupport;

/**
 * Locks ranges of bytes against overlap: requests on ranges that do not overlap never wait for each
 * other. A range is locked exclusively, or shared with others that are shared too.
 *
 * <p>First come, first served: a request waits for every earlier one that it conflicts with, so
 * none starves. A thread must not lock a second range while it holds one. Waiting cannot be
 * interrupted; the interrupt status is kept. Locking and unlocking allocate nothing once warm.
 */
public final class RangeLock {
  /** Ring of all ranges that are held or waited for, in the order of arrival. */
  private final Range ring = new Range();

  private Range free;

  /** Creates a lock with no range locked. */
  public RangeLock() {
    ring.previous = ring;
    ring.next = ring;
  }

  /** A locked range, to be given back to {@link #unlock} by the same thread, once. */
  public static final class Range {
    private long start;
    private long end;
    private boolean exclusive;
    private Thread owner;
    private Range previous;
    private Range next;

    /** Earlier conflicting ranges still there; the range is held when there are none. */
    private volatile int blockers;

    private Range() {}

    private boolean conflicts(Range other) {
      return (exclusive || other.exclusive) && start < other.end && other.start < end;
    }
  }

  /**
   * Waits until nobody else holds an overlapping range, and locks this one for the caller alone.
   */
  public Range lock(long offset, long length) {
    return acquire(offset, length, true);
  }

  /** Waits until nobody holds an overlapping range exclusively, and locks this one shared. */
  public Range lockShared(long offset, long length) {
    return acquire(offset, length, false);
  }

  private Range acquire(long offset, long length, boolean exclusive) {
    Range range = enqueue(offset, length, exclusive);
    boolean interrupted = false;
    while (range.blockers > 0) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return range;
  }

  private synchronized Range enqueue(long offset, long length, boolean exclusive) {
    Range range = free;
    if (range == null) {
      range = new Range();
    } else {
      free = range.next;
    }
    range.start = offset;
    range.end = offset + length;
    range.exclusive = exclusive;
    range.owner = Thread.currentThread();
    int blockers = 0;
    for (Range earlier = ring.next; earlier != ring; earlier = earlier.next) {
      if (range.conflicts(earlier)) {
        blockers++;
      }
    }
    range.blockers = blockers;
    range.previous = ring.previous;
    range.next = ring;
    ring.previous.next = range;
    ring.previous = range;
    return range;
  }

  /** Gives a range back. */
  public synchronized void unlock(Range range) {
    if (range.owner != Thread.currentThread() || range.blockers > 0) {
      throw new IllegalStateException("the range is not held by this thread");
    }
    for (Range later = range.next; later != ring; later = later.next) {
      if (range.conflicts(later)) {
        int left = later.blockers - 1;
        later.blockers = left;
        if (left == 0) {
          LockSupport.unpark(later.owner);
        }
      }
    }
    range.previous.next = range.next;
    range.next.previous = range.previous;
    range.owner = null;
    range.next = free;
    free = range;
  }
}
