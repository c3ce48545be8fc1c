package io.jdm.cli.command;

import io.jdm.cli.bench.DeviceBenchmark;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code jdm bench device}. */
@Command(
    name = "device",
    description =
        "Measure sequential 1 MiB and random 4 KiB reads and writes of a temporary file: bare, as "
            + "a device, through linear, and through crypt with each engine; beside qemu-img "
            + "convert of a LUKS image where it is installed.",
    sortOptions = false)
final class BenchDeviceCommand implements Callable<Integer> {
  @ParentCommand private BenchCommand bench;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "Of the file (default: ${DEFAULT-VALUE}).",
      defaultValue = "256M")
  private long size;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where the temporary file is made (default: ${DEFAULT-VALUE}).",
      defaultValue = "${sys:java.io.tmpdir}")
  private Path directory;

  @Option(
      names = "--sector-size",
      converter = Count.class,
      paramLabel = "BYTES",
      description = "Of an encryption sector (default: ${DEFAULT-VALUE}).",
      defaultValue = "512")
  private int sectorSize;

  @Option(
      names = {"-c", "--cipher"},
      paramLabel = "CIPHER",
      description = "As in cryptsetup (default: ${DEFAULT-VALUE}).",
      defaultValue = "aes-xts-plain64")
  private String cipher;

  @Option(
      names = "--engine",
      split = ",",
      paramLabel = "NAME",
      description = "As 'jdm engines' lists them, or auto (default: all that have the cipher).")
  private List<String> engines = List.of();

  @Option(
      names = "--depth",
      converter = Count.class,
      split = ",",
      paramLabel = "N",
      description = "Requests at a time, each from its own thread (default: ${DEFAULT-VALUE}).",
      defaultValue = "1,16")
  private List<Integer> depths;

  @Option(
      names = "--seconds",
      converter = Seconds.class,
      paramLabel = "S",
      description = "How long each is measured, in three rounds (default: ${DEFAULT-VALUE}).",
      defaultValue = "0.6")
  private double seconds;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() throws IOException, UsageException {
    Session session = bench.session();
    DeviceBenchmark.Report report =
        DeviceBenchmark.run(
            new DeviceBenchmark.Plan(
                directory,
                size,
                sectorSize,
                cipher,
                BenchOptions.engines(engines, session),
                depths,
                seconds,
                options.peers()),
            options.progress(session));
    return options.print(session, report.text(), report.json());
  }
}
