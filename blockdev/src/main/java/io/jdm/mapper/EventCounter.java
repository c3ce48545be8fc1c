package io.jdm.mapper;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** The event counter of a mapped device, and those who wait for it. Thread-safe. */
final class EventCounter {
  private long number;
  private boolean ended;

  synchronized long number() {
    return number;
  }

  synchronized void raise() {
    number++;
    notifyAll();
  }

  /** The device goes: nobody waits any longer. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  /**
   * Waits until the counter differs.
   *
   * @param nanos how long at most
   * @return the counter, which is {@code seen} if the time is over; nothing if the device went
   *     without an event
   */
  synchronized OptionalLong await(long seen, long nanos) throws InterruptedException {
    long begin = System.nanoTime();
    while (number == seen && !ended) {
      long left = nanos - (System.nanoTime() - begin);
      if (left <= 0) {
        return OptionalLong.of(number);
      }
      wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
    }
    return number == seen ? OptionalLong.empty() : OptionalLong.of(number);
  }
}
