package io.jdm.cli.command;

import io.jdm.cli.bench.DdBenchmark;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code jdm bench dd}. */
@Command(
    name = "dd",
    description =
        "Write and read a temporary file with dd bs=2k through an unencrypted and an encrypted "
            + "device, as an article of 2011 did on a tablet, and print both side by side.",
    sortOptions = false)
final class BenchDdCommand implements Callable<Integer> {
  @ParentCommand private BenchCommand bench;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "How much to copy (default: ${DEFAULT-VALUE}).",
      defaultValue = "2G")
  private long size;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the temporary file is made (default: ${DEFAULT-VALUE}).",
      defaultValue = "${sys:java.io.tmpdir}")
  private Path directory;

  @Option(
      names = {"-c", "--cipher"},
      paramLabel = "CIPHER",
      description = "As in cryptsetup (default: ${DEFAULT-VALUE}).",
      defaultValue = "aes-xts-plain64")
  private String cipher;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description = "As 'jdm engines' lists them, or auto (default: auto).")
  private String engine;

  @Option(
      names = "--runs",
      converter = Count.class,
      paramLabel = "N",
      description = "How often; medians are printed (default: ${DEFAULT-VALUE}).",
      defaultValue = "1")
  private int runs;

  @Option(
      names = "--drop-caches",
      description =
          "Before reading, empty the caches of the whole system (/proc/sys/vm/drop_caches; root "
              + "only). Without it only the file's own pages are dropped, if GNU dd is here to do it.")
  private boolean dropCaches;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() throws IOException, UsageException {
    Session session = bench.session();
    DdBenchmark.Report report =
        DdBenchmark.run(
            new DdBenchmark.Plan(
                directory,
                size,
                cipher,
                engine != null ? engine : session.options().engine(),
                runs,
                dropCaches,
                options.peers()),
            text -> session.stdio().print(options.json() ? "" : text),
            options.progress(session));
    return options.print(session, report.text(), report.json());
  }
}
