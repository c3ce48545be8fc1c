package io.jdm.crypt.kdf;

import java.io.InterruptedIOException;

/**
 * Watches a key derivation, and can end it. Called in the thread that asked for the key, several
 * times a second.
 */
@FunctionalInterface
public interface KdfMonitor {
  /** Lets every derivation run to its end, unless the thread is interrupted. */
  KdfMonitor NONE =
      fraction -> {
        if (Thread.currentThread().isInterrupted()) {
          throw new InterruptedIOException("the key derivation was cancelled");
        }
      };

  /**
   * The derivation goes on.
   *
   * @param fraction how much is done, from 0 to 1; {@link Double#NaN} where nobody can tell
   * @throws InterruptedIOException to end it; what was derived is wiped
   */
  void progress(double fraction) throws InterruptedIOException;
}
