package io.jdm.mapper;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way for I/O into a mapped device: open, stopped (requests wait), or gone for good (requests
 * are turned away). Passing it while it is open costs two atomic additions on a counter that
 * threads seldom share, and allocates nothing.
 *
 * <p>A request first counts itself in and then looks at the state; whoever stops the gate first
 * sets the state and then looks at the counters. So either the request sees the change and steps
 * back, or the stopper sees the request and waits for it. A request counts itself out of the same
 * counter, hence every counter by itself is the number of requests inside.
 */
final class IoGate {
  /** What {@link #enter()} returns when the device is gone. */
  static final int GONE = -1;

  private static final VarHandle COUNTERS = MethodHandles.arrayElementVarHandle(long[].class);

  /** Counters lie this many longs apart, on cache lines of their own even with prefetching. */
  private static final int STRIDE = 16;

  private static final int STRIPE_BITS = stripeBits(Runtime.getRuntime().availableProcessors());

  private enum State {
    OPEN,
    STOPPED,
    GONE
  }

  private final long[] counters = new long[STRIDE << STRIPE_BITS];
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile State state = State.OPEN;

  /** Twice as many stripes as processors, at least 2 and at most 64. */
  private static int stripeBits(int processors) {
    int bits = 1;
    while (bits < 6 && 1 << bits < 2 * processors) {
      bits++;
    }
    return bits;
  }

  /**
   * Lets a request in, waiting while the gate is stopped. The caller's interrupt status is kept and
   * does not end the waiting.
   *
   * @return what {@link #leave} needs, or {@link #GONE}
   */
  int enter() {
    int stripe = stripe();
    while (true) {
      COUNTERS.getAndAdd(counters, stripe, 1L);
      State seen = state;
      if (seen == State.OPEN) {
        return stripe;
      }
      leave(stripe);
      if (seen == State.GONE) {
        return GONE;
      }
      awaitChange();
    }
  }

  /** The request has ended. */
  void leave(int stripe) {
    COUNTERS.getAndAdd(counters, stripe, -1L);
    if (state != State.OPEN) {
      signal();
    }
  }

  private static int stripe() {
    int hash = (int) Thread.currentThread().getId() * 0x9E3779B9;
    return (hash >>> (Integer.SIZE - STRIPE_BITS)) * STRIDE;
  }

  private void awaitChange() {
    lock.lock();
    try {
      while (state == State.STOPPED) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Lets no new request in; those inside go on. */
  void stop() {
    change(State.STOPPED);
  }

  /** Lets requests in again, first of all those that wait. */
  void open() {
    change(State.OPEN);
  }

  /** Turns away those that wait and all that come; those inside go on. */
  void close() {
    change(State.GONE);
  }

  private void change(State next) {
    lock.lock();
    try {
      if (state != State.GONE) {
        state = next;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until no request is inside.
   *
   * @throws InterruptedException if the caller is interrupted before that
   */
  void drain() throws InterruptedException {
    lock.lock();
    try {
      while (!isEmpty()) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no request is inside; keeps the caller's interrupt status. */
  void drainUninterruptibly() {
    lock.lock();
    try {
      while (!isEmpty()) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether no request is inside now. */
  boolean isEmpty() {
    for (int i = 0; i < counters.length; i += STRIDE) {
      if ((long) COUNTERS.getVolatile(counters, i) != 0) {
        return false;
      }
    }
    return true;
  }
}
