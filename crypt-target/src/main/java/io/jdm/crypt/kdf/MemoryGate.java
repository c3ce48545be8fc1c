package io.jdm.crypt.kdf;

import java.io.InterruptedIOException;
import java.util.function.LongSupplier;

/**
 * Lets key derivations in as long as there is memory for them. One that must wait for others waits;
 * one for which there would not be enough even alone is refused. Thread-safe.
 */
final class MemoryGate {
  private static final long POLL_MILLIS = 100;

  private final LongSupplier availableMib;
  private long budget;
  private long reserved;

  /**
   * @param availableMib asked only while nothing is reserved, since memory that was granted may not
   *     be in use yet
   */
  MemoryGate(LongSupplier availableMib) {
    this.availableMib = availableMib;
  }

  /**
   * Takes a share, which the caller gives back with {@link #release}.
   *
   * @param kind for the message
   */
  synchronized void reserve(long mib, String kind, KdfMonitor monitor)
      throws KdfMemoryException, InterruptedIOException {
    while (true) {
      if (reserved == 0) {
        budget = availableMib.getAsLong();
        if (mib > budget) {
          throw new KdfMemoryException(mib, budget, kind);
        }
      }
      if (mib <= budget - reserved) {
        reserved += mib;
        return;
      }
      monitor.progress(Double.NaN);
      try {
        wait(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("the key derivation was cancelled");
      }
    }
  }

  synchronized void release(long mib) {
    reserved -= mib;
    notifyAll();
  }
}
