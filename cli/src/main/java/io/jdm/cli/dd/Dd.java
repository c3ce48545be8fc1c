package io.jdm.cli.dd;

import io.jdm.cli.session.ErrorText;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Signals;
import java.io.IOException;
import java.util.List;

/** GNU dd (coreutils 9.1) on files and on devices, with its messages, statistics and exit codes. */
public final class Dd {
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
    Runnable stop =
        () -> {
          copy.stop();
          copying.interrupt();
        };
    int code;
    try (Signals signals = new Signals()) {
      signals.handle("USR1", report::statistics);
      signals.handle("INT", stop);
      code = run(copy, report);
      boolean closed = close(source, "input", operands.inputName(), report);
      closed = close(sink, "output", operands.outputName(), report) && closed;
      if (code == ExitCodes.SUCCESS && !closed) {
        code = ExitCodes.FAILURE;
      }
    }
    if (code != ExitCodes.SIGNAL + ExitCodes.SIGPIPE) {
      report.statistics();
    }
    return code;
  }

  private static int run(DdCopy copy, DdReport report) {
    try {
      return copy.run() ? ExitCodes.SUCCESS : ExitCodes.FAILURE;
    } catch (DdException e) {
      if (copy.stopped()) {
        return ExitCodes.SIGNAL + ExitCodes.SIGINT;
      }
      if (e.getCause() != null && ErrorText.isBrokenPipe(e.getCause())) {
        return ExitCodes.SIGNAL + ExitCodes.SIGPIPE;
      }
      report.error(e);
      return ExitCodes.FAILURE;
    } finally {
      if (copy.stopped()) {
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
