package io.jdm.cli.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The line that says what is going on: on a terminal it is written over itself, elsewhere a new one
 * comes every few seconds. Thread-safe.
 */
public final class Progress {
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

  private final PrintStream err;
  private final boolean terminal;
  private long last = System.nanoTime();
  private int width;

  public Progress(PrintStream err, boolean terminal) {
    this.err = err;
    this.terminal = terminal;
  }

  /** On a stream, which is looked at whether it is a terminal. */
  public static Progress on(PrintStream err) {
    return new Progress(err, err == System.err && isTerminal());
  }

  /** Java 17 cannot tell; Linux can. Elsewhere the line stays away. */
  private static boolean isTerminal() {
    try {
      String name = STANDARD_ERROR.toRealPath().toString();
      return name.startsWith("/dev/pts/") || name.startsWith("/dev/tty");
    } catch (IOException e) {
      return false;
    }
  }

  /** Says what is going on, if it is time to. */
  public synchronized void show(String text) {
    if (terminal) {
      over(text);
    } else if (System.nanoTime() - last > QUIET_NANOS) {
      err.println("jdm: " + text);
      last = System.nanoTime();
    }
  }

  /** Shows what {@code text} says every second, until it is closed. */
  public Following follow(Supplier<String> text) {
    ScheduledExecutorService clock =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "jdm progress");
              thread.setDaemon(true);
              return thread;
            });
    Future<?> ticks = clock.scheduleAtFixedRate(() -> show(text.get()), 1, 1, TimeUnit.SECONDS);
    return () -> {
      ticks.cancel(true);
      clock.shutdownNow();
    };
  }

  /** Ends showing. */
  public interface Following extends AutoCloseable {
    @Override
    void close();
  }

  /** Leaves a clean line to the next output. */
  public synchronized void clear() {
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
