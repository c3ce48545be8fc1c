package io.jdm.cli.dd;

import io.jdm.cli.dd.DdOperands.Status;
import io.jdm.cli.session.ErrorText;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * All that one dd says on standard error: messages, progress, and the statistics of what it has
 * copied. The copying thread counts; any thread prints (the one that a signal woke).
 */
final class DdReport {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final PrintStream err;
  private Status status = Status.DEFAULT;
  private volatile long start = System.nanoTime();
  private long nextProgress;
  private int progressLength;

  private final AtomicLong fullIn = new AtomicLong();
  private final AtomicLong partialIn = new AtomicLong();
  private final AtomicLong truncated = new AtomicLong();
  private final AtomicLong fullOut = new AtomicLong();
  private final AtomicLong partialOut = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  DdReport(PrintStream err) {
    this.err = err;
  }

  /** The copy begins: the clock starts, and {@code status=} says what is left out. */
  void start(Status what) {
    status = what;
    start = System.nanoTime();
    nextProgress = start + SECOND;
  }

  /** Prints a message, and what the system or a device says of its cause, if there is one. */
  synchronized void error(String message, IOException cause) {
    endProgress();
    err.print("dd: " + message + (cause == null ? "" : ": " + ErrorText.of(cause)) + "\n");
    String detail = ErrorText.detail(cause);
    if (!detail.isEmpty()) {
      err.print("jdm: " + detail + "\n");
    }
  }

  /** Prints why dd stops. */
  void error(DdException e) {
    error(e.getMessage(), e.getCause());
    if (e.advisesHelp()) {
      err.print("Try 'dd --help' for more information.\n");
    }
  }

  /** Prints a message that {@code status=none} suppresses. */
  void warn(String message) {
    if (status != Status.NONE) {
      error(message, null);
    }
  }

  /** Adds one by the only thread that ever does, without a fence. */
  private static void increment(AtomicLong counter, long by) {
    counter.lazySet(counter.getPlain() + by);
  }

  void blockIn(boolean full) {
    increment(full ? fullIn : partialIn, 1);
  }

  void blockOut(boolean full) {
    increment(full ? fullOut : partialOut, 1);
  }

  void bytesOut(long count) {
    increment(bytes, count);
  }

  void truncatedRecord() {
    increment(truncated, 1);
  }

  long blocksIn() {
    return fullIn.getPlain() + partialIn.getPlain();
  }

  /** Prints a line of progress if {@code status=progress} asks for it and a second has passed. */
  void progress() {
    if (status == Status.PROGRESS) {
      long now = System.nanoTime();
      if (now - nextProgress >= 0) {
        printProgress(now);
        nextProgress += SECOND;
      }
    }
  }

  /** Prints the progress once more before something that takes long without copying. */
  void lastProgress() {
    if (status == Status.PROGRESS && progressLength > 0) {
      printProgress(System.nanoTime());
    }
  }

  private synchronized void printProgress(long now) {
    long nanos = now - start;
    long seconds = (nanos + SECOND / 2) / SECOND;
    String line = transferred(nanos, String.valueOf(seconds));
    err.print('\r' + line + " ".repeat(Math.max(0, progressLength - line.length())));
    err.flush();
    progressLength = line.length();
  }

  /** Ends a line of progress before something else is printed. */
  private void endProgress() {
    if (progressLength > 0) {
      err.print('\n');
      progressLength = 0;
    }
  }

  /** Prints the two to four lines of statistics, or what {@code status=} leaves of them. */
  synchronized void statistics() {
    if (status == Status.NONE) {
      return;
    }
    endProgress();
    StringBuilder lines = new StringBuilder();
    lines.append(fullIn).append('+').append(partialIn).append(" records in\n");
    lines.append(fullOut).append('+').append(partialOut).append(" records out\n");
    if (truncated.get() != 0) {
      lines
          .append(truncated)
          .append(truncated.get() == 1 ? " truncated record\n" : " truncated records\n");
    }
    if (status != Status.NOXFER) {
      long nanos = System.nanoTime() - start;
      lines.append(transferred(nanos, HumanReadable.seconds(nanos))).append('\n');
    }
    err.print(lines);
    err.flush();
  }

  private String transferred(long nanos, String seconds) {
    long count = bytes.get();
    String si = HumanReadable.si(count);
    String iec = HumanReadable.iec(count);
    String amount;
    if (si.endsWith(" B")) {
      amount = count == 1 ? " byte" : " bytes";
    } else if (iec.endsWith(" B")) {
      amount = " bytes (" + si + ")";
    } else {
      amount = " bytes (" + si + ", " + iec + ")";
    }
    return count + amount + " copied, " + seconds + " s, " + HumanReadable.rate(count, nanos);
  }
}
