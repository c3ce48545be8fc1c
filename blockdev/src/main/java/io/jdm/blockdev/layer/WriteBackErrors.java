package io.jdm.blockdev.layer;

import io.jdm.blockdev.DeviceException;
import java.io.IOException;

/**
 * Remembers failures of write-back, for which nobody was waiting, until flush and close report
 * them: what the kernel's errseq_t does for fsync. Thread-safe.
 */
final class WriteBackErrors {
  private IOException unreported;
  private IOException first;

  /** Remembers a failure. */
  synchronized void add(IOException failure) {
    unreported = join(unreported, failure);
    first = first == null ? failure : first;
  }

  /**
   * Ends a flush.
   *
   * @param own what failed in this flush; null for nothing
   * @return what it has to report: all failures that no flush has reported yet, or else its own; or
   *     null: then everything is safe, and close has nothing to report either
   */
  synchronized IOException endFlush(IOException own) {
    IOException report = unreported == null ? own : unreported;
    unreported = null;
    first = report == null ? null : first;
    return report;
  }

  /** The first failure since the last flush that had none; null for none. */
  synchronized IOException first() {
    return first;
  }

  /** The first failure with the later one suppressed; either may be null. */
  static IOException join(IOException first, IOException later) {
    if (first == null) {
      return later;
    }
    if (later != null && later != first) {
      first.addSuppressed(later);
    }
    return first;
  }

  /** A new exception, since the same failure may have to be thrown more than once. */
  static DeviceException report(IOException failure) {
    return new DeviceException(
        DeviceException.errnoOf(failure), "write-back failed: " + failure.getMessage(), failure);
  }
}
