package io.jdm.cli.dd;

import io.jdm.cli.session.ErrorText;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Signals;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** GNU dd (coreutils 9.1) on files and on devices, with its messages, statistics and exit codes. */
public final class Dd {
  private static final int PATIENCE_MILLIS = 200;

  private Dd() {}

  /**
   * Runs one dd.
   *
   * @param words the operands as on the command line: {@code if=disk.img bs=1M}
   * @return the exit code
   * @throws IOException if the session's devices cannot be made; every other failure is reported
   *     here, as GNU dd does it
   */
  public static int run(List<String> words, Session session) throws IOException {
    DdReport report = new DdReport(session.stdio().err());
    try {
      DdOperands operands = DdOperands.parse(words, warning -> report.error(warning, null));
      DdFiles files = new DdFiles(operands, session.devices(), session.stdio(), report);
      Source source = files.openInput();
      Sink sink;
      try {
        sink = files.openOutput();
      } catch (DdException e) {
        close(source, "input", operands.inputName(), report);
        throw e;
      }
      return run(operands, source, sink, report);
    } catch (DdException e) {
      report.error(e);
      return ExitCodes.FAILURE;
    }
  }

  private static int run(DdOperands operands, Source source, Sink sink, DdReport report) {
    report.start(operands.status);
    DdCopy copy = new DdCopy(operands, source, sink, report);
    Thread copying = Thread.currentThread();
    CountDownLatch ended = new CountDownLatch(1);
    int code;
    try (Signals signals = new Signals()) {
      signals.handle("USR1", report::statistics);
      // What is written is with the kernel for GNU dd, which may just die; here it may still be in
      // the cache over a device, which is closed first.
      signals.handle("INT", () -> stop(copy, ended, copying, ExitCodes.SIGINT));
      signals.handle("TERM", () -> stop(copy, ended, copying, ExitCodes.SIGTERM));
      signals.handle("HUP", () -> stop(copy, ended, copying, ExitCodes.SIGHUP));
      try {
        code = run(copy, report);
      } finally {
        ended.countDown();
      }
      boolean closed = close(source, "input", operands.inputName(), report);
      closed = close(sink, "output", operands.outputName(), report) && closed;
      if (code == ExitCodes.SUCCESS && !closed) {
        code = ExitCodes.FAILURE;
      }
    }
    // The signals that GNU dd does not handle end it without a word.
    if (code < ExitCodes.SIGNAL || code == ExitCodes.SIGNAL + ExitCodes.SIGINT) {
      report.statistics();
    }
    return code;
  }

  /** Ends a copy in good order, or at once if it was told already. */
  private static void stop(DdCopy copy, CountDownLatch ended, Thread copying, int signal) {
    if (!copy.stop(signal)) {
      Signals.die(signal);
    }
    try {
      // An interrupt loses count of the block that it cuts short: only for what may wait for ever.
      if (!ended.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        copying.interrupt();
      }
    } catch (InterruptedException e) {
      copying.interrupt();
    }
  }

  private static int run(DdCopy copy, DdReport report) {
    try {
      return copy.run() ? ExitCodes.SUCCESS : ExitCodes.FAILURE;
    } catch (DdException e) {
      if (copy.stoppedBy() != 0) {
        return ExitCodes.SIGNAL + copy.stoppedBy();
      }
      if (e.getCause() != null && ErrorText.isBrokenPipe(e.getCause())) {
        return ExitCodes.SIGNAL + ExitCodes.SIGPIPE;
      }
      report.error(e);
      copy.sync(); // What was written before is as safe as it was to be.
      return ExitCodes.FAILURE;
    } finally {
      if (copy.stoppedBy() != 0) {
        Thread.interrupted(); // It was only to end a wait; closing is still to be done.
      }
    }
  }

  private static boolean close(Endpoint file, String which, String name, DdReport report) {
    try {
      file.close();
      return true;
    } catch (IOException e) {
      report.error("closing " + which + " file " + Quote.file(name), e);
      return false;
    }
  }
}
