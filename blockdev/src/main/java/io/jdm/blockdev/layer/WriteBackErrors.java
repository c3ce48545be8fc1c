package io.jdm.blockdev.layer;

import io.jdm.blockdev.DeviceException;
import java.io.IOException;

/**
 * Remembers failures that nobody was there to be told about, until a flush and the close report
 * them, like the kernel's errseq_t. Thread-safe.
 */
final class WriteBackErrors {
  private IOException unreported;
  private IOException first;

  /** Remembers a failure. */
  synchronized void add(IOException failure) {
    unreported = join(unreported, failure);
    if (first == null) {
      first = failure;
    }
  }

  /** The failures since the last call; null for none. */
  synchronized IOException takeUnreported() {
    IOException taken = unreported;
    unreported = null;
    return taken;
  }

  /** The first failure ever; null for none. */
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
