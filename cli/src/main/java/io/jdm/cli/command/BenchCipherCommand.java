package io.jdm.cli.command;

import io.jdm.cli.bench.CipherBenchmark;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code jdm bench cipher}. */
@Command(
    name = "cipher",
    description =
        "Measure ciphers in memory, like cryptsetup benchmark: every combination of the lists "
            + "below, both directions, beside openssl speed where it is installed.",
    sortOptions = false)
final class BenchCipherCommand implements Callable<Integer> {
  @ParentCommand private BenchCommand bench;

  @Option(
      names = {"-c", "--cipher"},
      split = ",",
      paramLabel = "CIPHER",
      description =
          "As in cryptsetup, the IV mode may be left out: aes-xts, serpent-xts-plain64, "
              + "aes-cbc-essiv:sha256, xchacha12,aes-adiantum (default: ${DEFAULT-VALUE}).",
      defaultValue = "aes-xts")
  private List<String> ciphers;

  @Option(
      names = {"-s", "--key-size"},
      converter = Count.class,
      split = ",",
      paramLabel = "BITS",
      description =
          "Of the whole key, for xts both halves, as in cryptsetup (default: that of AES-256, "
              + "or the cipher's largest).")
  private List<Integer> keySizes = List.of();

  @Option(
      names = "--sector-size",
      converter = Count.class,
      split = ",",
      paramLabel = "BYTES",
      description = "Bytes that share an IV (default: ${DEFAULT-VALUE}).",
      defaultValue = "512,4096")
  private List<Integer> sectorSizes;

  @Option(
      names = "--request",
      split = ",",
      paramLabel = "BYTES",
      converter = RequestSize.class,
      description = "Bytes given to the cipher at once (default: ${DEFAULT-VALUE}).",
      defaultValue = "64K")
  private List<Integer> requests;

  @Option(
      names = "--threads",
      converter = Count.class,
      split = ",",
      paramLabel = "N",
      description = "Threads, each with a cipher of its own (default: ${DEFAULT-VALUE}).",
      defaultValue = "1")
  private List<Integer> threads;

  @Option(
      names = "--engine",
      split = ",",
      paramLabel = "NAME",
      description = "As 'jdm engines' lists them, or auto (default: all that are available).")
  private List<String> engines = List.of();

  @Option(
      names = "--seconds",
      converter = Seconds.class,
      paramLabel = "S",
      description = "How long each is measured, in three rounds (default: ${DEFAULT-VALUE}).",
      defaultValue = "0.3")
  private double seconds;

  @Mixin private BenchOptions options;

  @Override
  public Integer call() throws IOException, UsageException {
    Session session = bench.session();
    CipherBenchmark.Report report =
        CipherBenchmark.run(
            new CipherBenchmark.Plan(
                BenchOptions.engines(engines, session),
                joinPairs(ciphers),
                keySizes,
                sectorSizes,
                requests,
                threads,
                seconds,
                options.peers()),
            options.progress(session));
    return options.print(session, report.text(), report.json());
  }

  /** The comma in adiantum's cipher is one of its own: only such a word has no chain mode. */
  private static List<String> joinPairs(List<String> words) {
    List<String> ciphers = new ArrayList<>();
    String stream = "";
    for (String word : words) {
      if (word.startsWith("xchacha") && word.indexOf('-') < 0) {
        stream = word + ",";
      } else {
        ciphers.add(stream + word);
        stream = "";
      }
    }
    if (!stream.isEmpty()) {
      ciphers.add(stream);
    }
    return ciphers;
  }
}
