package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.file.FileDevice;
import io.jdm.cli.copy.Copy;
import io.jdm.cli.copy.Copy.Destination;
import io.jdm.cli.dd.HumanReadable;
import io.jdm.cli.report.Progress;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm copy}: all bytes of one device to another. */
@Command(
    name = "copy",
    description = "Copy a whole device to another one, in parallel, holes as holes.",
    footerHeading = "%n",
    footer = {
      "SRC and DST are names of --map devices, other devices (a path, mem:SIZE, nbd://...) or whole",
      "tables. DST is made with the size of SRC if it is the path of a file that does not exist;",
      "otherwise it must not be smaller, and what it has beyond the size of SRC stays.",
      "Zeros are written to DST as holes where it offers that, else as data: always as data through",
      "an encrypted device. A new file stays sparse. The copy is flushed at the end.",
      "--resume reads both and writes only what differs, so that it ends with a true copy whatever",
      "DST held; nothing is noted in between."
    })
public final class CopyCommand implements Callable<Integer> {
  private static final int MAX_THREADS = 64;

  private final Session session;

  @Parameters(index = "0", paramLabel = "SRC", description = "What to copy.")
  private String source;

  @Parameters(index = "1", paramLabel = "DST", description = "Where to.")
  private String target;

  @Option(
      names = "--resume",
      description = "Go on with a copy that was cut off: write only what differs.")
  private boolean resume;

  @Option(names = "--verify", description = "Read both again afterwards and compare.")
  private boolean verify;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "4",
      converter = Count.class,
      description = "Pieces that are copied at the same time (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(names = "--json", description = "Print what was copied as JSON.")
  private boolean json;

  public CopyCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    if (threads > MAX_THREADS) {
      throw new UsageException("--threads " + threads + " is more than " + MAX_THREADS, "");
    }
    try (session;
        BlockDevice from = session.devices().openDeviceOrTable(source, false)) {
      Optional<Path> newFile = session.devices().missingFile(target);
      try (BlockDevice to =
          newFile.isPresent()
              ? FileDevice.create(newFile.get(), from.size())
              : session.devices().openDeviceOrTable(target, true)) {
        if (from.describe().equals(to.describe())) {
          throw new UsageException(
              Quote.file(source) + " and " + Quote.file(target) + " are the same device", "");
        }
        Destination known =
            newFile.isPresent()
                ? Destination.ZEROS
                : resume ? Destination.PARTIAL : Destination.UNKNOWN;
        return copy(new Copy(from, to, known, threads));
      }
    }
  }

  private int copy(Copy copy) throws IOException {
    long begin = System.nanoTime();
    Progress progress = Progress.on(session.stdio().err());
    follow(progress, "copied", copy, copy::copy);
    long copied = System.nanoTime() - begin;
    if (verify) {
      follow(progress, "verified", copy, copy::verify);
    }
    if (json) {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("bytes", copy.size());
      result.put("written", copy.written());
      result.put("zeros", copy.zeroed());
      result.put("same", copy.size() - copy.written() - copy.zeroed());
      result.put("seconds", copied / (double) TimeUnit.SECONDS.toNanos(1));
      result.put("verified", verify);
      session.stdio().print(Json.of(result));
    }
    return ExitCodes.SUCCESS;
  }

  @FunctionalInterface
  private interface Pass {
    void run() throws IOException;
  }

  /** Shows how far a pass is, every second. */
  private void follow(Progress progress, String what, Copy copy, Pass pass) throws IOException {
    long begin = System.nanoTime();
    Progress.Following following =
        progress.follow(() -> text(what, copy, System.nanoTime() - begin));
    try {
      pass.run();
    } finally {
      following.close();
      progress.clear();
    }
  }

  private static String text(String what, Copy copy, long nanos) {
    long passed = copy.passed();
    long percent = copy.size() == 0 ? 100 : (long) (passed * 100.0 / copy.size());
    return what
        + " "
        + HumanReadable.iec(passed)
        + " of "
        + HumanReadable.iec(copy.size())
        + " ("
        + percent
        + "%), "
        + HumanReadable.rate(passed, nanos);
  }
}
