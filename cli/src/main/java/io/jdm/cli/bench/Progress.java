package io.jdm.cli.bench;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * The line that says what is being measured: on a terminal it is written over itself, elsewhere a
 * new one comes every few seconds. Not thread-safe.
 */
public final class Progress {
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final PrintStream err;
  private final boolean terminal;
  private long last = System.nanoTime();
  private int width;

  /**
   * @param err where it is shown
   * @param terminal whether that is a terminal
   */
  public Progress(PrintStream err, boolean terminal) {
    this.err = err;
    this.terminal = terminal;
  }

  /** Says what is going on, if it is time to. */
  void show(String format, Object... arguments) {
    if (terminal) {
      over(String.format(format, arguments));
    } else if (System.nanoTime() - last > QUIET_NANOS) {
      err.println("jdm: " + String.format(format, arguments));
      last = System.nanoTime();
    }
  }

  /** Leaves a clean line to the next output. */
  void clear() {
    if (width > 0) {
      over("");
      err.print('\r');
      err.flush();
    }
  }

  private void over(String text) {
    err.print("\r" + text + " ".repeat(Math.max(0, width - text.length())));
    err.flush();
    width = text.length();
  }
}
