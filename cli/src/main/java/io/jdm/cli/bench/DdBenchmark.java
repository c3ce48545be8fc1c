package io.jdm.cli.bench;

import io.jdm.blockdev.Sectors;
import io.jdm.blockdev.io.IoStatistics;
import io.jdm.cli.dd.Dd;
import io.jdm.cli.report.Progress;
import io.jdm.cli.report.Table;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.GlobalOptions;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Stdio;
import io.jdm.cli.session.UsageException;
import io.jdm.crypt.engine.Engines;
import io.jdm.mapper.DeviceId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The test of an article about device encryption on a tablet, on this machine: {@code dd bs=2k}
 * writes a file's worth of zeros through a mapped device and reads them back, once unencrypted
 * ({@code linear}) and once encrypted ({@code crypt}). It is the code of {@code jdm dd} that runs,
 * with {@code conv=fsync}; the time is that of the whole command, from before it opens its files to
 * after it has closed them. The same with GNU dd on the bare file stands beside it.
 */
public final class DdBenchmark {
  private static final int BLOCK = 2048;
  private static final int SECTOR_SIZE = 512;

  private static final long WARM_UP_BYTES = 64L << 20;
  private static final int WARM_UPS = 8;

  /**
   * The JIT compiler is done with everything on the way when it works less than this in a round.
   */
  private static final long WARM_MILLIS = 20;

  private final Plan plan;
  private final CipherWord cipher;
  private final TemporaryFile file;
  private final Progress progress;

  private DdBenchmark(Plan plan, CipherWord cipher, TemporaryFile file, Progress progress) {
    this.plan = plan;
    this.cipher = cipher;
    this.file = file;
    this.progress = progress;
  }

  /**
   * What to measure.
   *
   * @param directory where the file is made
   * @param size bytes to copy, a multiple of 2048
   * @param cipher of the encrypted side
   * @param engine of the encrypted side; null for the default
   * @param runs how often each is measured
   * @param dropCaches whether the whole system's caches are emptied before every read
   * @param peers whether GNU dd is measured beside ours
   */
  public record Plan(
      Path directory,
      long size,
      String cipher,
      String engine,
      int runs,
      boolean dropCaches,
      boolean peers) {}

  /** One side's write and read. */
  private record Pass(Side side, DdRun write, DdRun read, String cache) {
    DdRun run(Transfer transfer) {
      return transfer == Transfer.WRITE ? write : read;
    }
  }

  /**
   * Measures.
   *
   * @param printer takes what each dd prints, as it comes, with the command before it
   * @throws UsageException for a size that is no number of blocks
   * @throws IOException for an unknown cipher or engine, for want of space, and if a dd fails
   */
  public static Report run(Plan plan, Printer printer, Progress progress)
      throws IOException, UsageException {
    if (plan.size <= 0 || plan.size % BLOCK != 0) {
      throw new UsageException(
          "a size of " + plan.size + " bytes is no multiple of the " + BLOCK + " of a block", "");
    }
    CipherWord cipher = CipherWord.parse(plan.cipher);
    int keyBytes = cipher.defaultKeyBytes();
    String engine =
        Engines.installed().select(plan.engine, cipher.algorithm(keyBytes, SECTOR_SIZE)).name();
    try (TemporaryFile file = TemporaryFile.create(plan.directory, plan.size)) {
      DdBenchmark benchmark = new DdBenchmark(plan, cipher, file, progress);
      return benchmark.measure(engine, printer);
    } finally {
      progress.clear();
    }
  }

  /** Takes what the commands print. */
  @FunctionalInterface
  public interface Printer {
    void print(String text) throws IOException;
  }

  private Report measure(String engine, Printer printer) throws IOException {
    Optional<GnuDd> gnu = plan.peers ? GnuDd.find() : Optional.empty();
    progress.show("warming up");
    warmUp(Math.min(plan.size, WARM_UP_BYTES));
    List<Rounds.Contestant<Pass>> contestants = new ArrayList<>();
    contestants.add(contestant(Side.UNENCRYPTED, () -> pass(Side.UNENCRYPTED, plan.size), printer));
    contestants.add(contestant(Side.ENCRYPTED, () -> pass(Side.ENCRYPTED, plan.size), printer));
    if (gnu.isPresent()) {
      contestants.add(contestant(Side.GNU_DD, () -> gnuPass(gnu.get()), text -> {}));
    }
    return new Report(
        plan,
        8 * cipher.defaultKeyBytes(),
        engine,
        Rounds.interleave(plan.runs, contestants, progress));
  }

  private void warmUp(long size) throws IOException {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    boolean cold = true;
    for (int i = 0; i < WARM_UPS && cold; i++) {
      long before = compiler == null ? 0 : compiler.getTotalCompilationTime();
      pass(Side.UNENCRYPTED, size);
      pass(Side.ENCRYPTED, size);
      cold = compiler != null && compiler.getTotalCompilationTime() - before >= WARM_MILLIS;
    }
  }

  private Rounds.Contestant<Pass> contestant(
      Side side, Rounds.Measurement<Pass> measurement, Printer printer) {
    return new Rounds.Contestant<>(
        side.toString(),
        () -> {
          Pass pass = measurement.take();
          progress.clear();
          for (Transfer transfer : Transfer.values()) {
            printer.print(side + " " + transfer + "\n" + pass.run(transfer).summary() + "\n\n");
          }
          return pass;
        });
  }

  /** Our dd on a mapped device over the renewed file. */
  @SuppressWarnings("try") // following ends with the block
  private Pass pass(Side side, long size) throws IOException {
    file.renew(size);
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Stdio stdio =
        new Stdio(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            new PrintStream(err, true, Charset.defaultCharset()));
    String name = side.toString();
    try (Session session = new Session(stdio, GlobalOptions.ofEngine(plan.engine));
        var definition =
            side == Side.UNENCRYPTED
                ? Tables.linear(name, file.path(), size)
                : Tables.crypt(
                    name, cipher, cipher.defaultKeyBytes(), SECTOR_SIZE, file.path(), size)) {
      session.devices().mapper().create(definition);
      String device = "/dev/mapper/" + name;
      IoStatistics counters = session.devices().mapper().statistics(DeviceId.named(name));
      try (var following = progress.follow(() -> side + progress(counters, size))) {
        DdRun write = dd(session, err, write(device, size));
        String cache = PageCache.drop(file.path(), plan.dropCaches);
        DdRun read = dd(session, err, read(device, size));
        return new Pass(side, write, read, cache);
      }
    }
  }

  private static String progress(IoStatistics counters, long size) {
    IoStatistics.Snapshot now = counters.snapshot();
    boolean reading = now.read().sectors() > 0;
    long sectors = reading ? now.read().sectors() : now.write().sectors();
    return String.format(
        " %s: %d of %d MiB",
        reading ? Transfer.READ : Transfer.WRITE, Sectors.toBytes(sectors) >> 20, size >> 20);
  }

  private static DdRun dd(Session session, ByteArrayOutputStream err, List<String> operands)
      throws IOException {
    err.reset();
    CpuTimes before = CpuTimes.ofThisProcess();
    long start = System.nanoTime();
    int exitCode = Dd.run(operands, session);
    long nanos = System.nanoTime() - start;
    CpuTimes cpu = CpuTimes.ofThisProcess().since(before);
    String text = err.toString(Charset.defaultCharset());
    if (exitCode > ExitCodes.SIGNAL) {
      throw new IOException("stopped by a signal");
    }
    if (exitCode != ExitCodes.SUCCESS) {
      throw new IOException(text.strip());
    }
    return DdRun.of(text, nanos, cpu);
  }

  private Pass gnuPass(GnuDd gnu) throws IOException {
    file.renew(plan.size);
    String path = file.path().toString();
    DdRun write = gnu.run(write(path, plan.size));
    String cache = PageCache.drop(file.path(), plan.dropCaches);
    return new Pass(Side.GNU_DD, write, gnu.run(read(path, plan.size)), cache);
  }

  private static List<String> write(String output, long size) {
    return List.of(
        "if=/dev/zero", "of=" + output, "bs=2k", "count=" + size / BLOCK, "conv=notrunc,fsync");
  }

  private static List<String> read(String input, long size) {
    return List.of("if=" + input, "of=/dev/null", "bs=2k", "count=" + size / BLOCK);
  }

  /** What was measured. */
  public static final class Report {
    private final Machine machine = Machine.here();
    private final Plan plan;
    private final int keyBits;
    private final String engine;
    private final List<List<Pass>> passes;

    private Report(Plan plan, int keyBits, String engine, List<List<Pass>> passes) {
      this.plan = plan;
      this.keyBits = keyBits;
      this.engine = engine;
      this.passes = passes;
    }

    /** For people: one table, this machine beside the article's. */
    public String text() {
      Table table =
          new Table()
              .words("")
              .numbers("MiB/s", "real s", "user s", "sys s")
              .numbers("tablet: MiB/s", "real s", "user s", "sys s");
      for (Side side : Side.values()) {
        passes(side).ifPresent(measured -> addRuns(table, side, measured));
      }
      for (Transfer transfer : Transfer.values()) {
        table.row(
            transfer + ": encrypted / unencrypted",
            Figures.ratio(ratio(Side.ENCRYPTED, Side.UNENCRYPTED, transfer)),
            "",
            "",
            "",
            Figures.ratio(Article.ratio(transfer)));
      }
      for (Transfer transfer : Transfer.values()) {
        for (Side side : List.of(Side.UNENCRYPTED, Side.ENCRYPTED)) {
          double ratio = ratio(side, Side.GNU_DD, transfer);
          if (!Double.isNaN(ratio)) {
            table.row(transfer + ": " + side + " / GNU dd", Figures.ratio(ratio));
          }
        }
      }
      return machine.text()
          + "Cipher   "
          + plan.cipher
          + ", "
          + keyBits
          + "-bit key, engine "
          + engine
          + "\n"
          + "File     "
          + plan.size
          + " bytes in "
          + plan.directory
          + ", medians of "
          + plan.runs
          + (plan.runs == 1 ? " run" : " runs")
          + "\n"
          + "Cache    "
          + cache()
          + "\n"
          + "Tablet   "
          + Article.DEVICE
          + "\n\n"
          + table;
    }

    private void addRuns(Table table, Side side, List<Pass> measured) {
      for (Transfer transfer : Transfer.values()) {
        List<String> cells = new ArrayList<>();
        cells.add(side + " " + transfer);
        cells.add(Figures.mebibytes(median(measured, transfer, DdRun::bytesPerSecond)));
        cells.add(Figures.number(median(measured, transfer, DdRun::seconds), 2));
        cells.add(Figures.number(median(measured, transfer, run -> run.cpu().user()), 2));
        cells.add(Figures.number(median(measured, transfer, run -> run.cpu().system()), 2));
        if (side != Side.GNU_DD) {
          Article.Run article = Article.run(side, transfer);
          cells.add(Figures.mebibytes(article.bytesPerSecond()));
          cells.add(Figures.number(article.real(), 2));
          cells.add(Figures.number(article.user(), 2));
          cells.add(Figures.number(article.system(), 2));
        }
        table.row(cells);
      }
    }

    /** For programs: {@code results}, {@code ratios}, the article's figures and the settings. */
    public Map<String, Object> json() {
      List<Map<String, Object>> results = new ArrayList<>();
      for (Side side : Side.values()) {
        for (Transfer transfer : Transfer.values()) {
          passes(side).ifPresent(measured -> results.add(result(side, transfer, measured)));
        }
      }
      Map<String, Object> ratios = new LinkedHashMap<>();
      for (Transfer transfer : Transfer.values()) {
        Figures.put(ratios, transfer.toString(), ratio(Side.ENCRYPTED, Side.UNENCRYPTED, transfer));
      }
      for (Transfer transfer : Transfer.values()) {
        Figures.put(ratios, transfer + "ToGnuDd", ratio(Side.UNENCRYPTED, Side.GNU_DD, transfer));
        Figures.put(
            ratios, transfer + "EncryptedToGnuDd", ratio(Side.ENCRYPTED, Side.GNU_DD, transfer));
      }
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("results", results);
      document.put("ratios", ratios);
      document.put("article", Article.json());
      document.put("cipher", plan.cipher);
      document.put("keyBits", keyBits);
      document.put("engine", engine);
      document.put("blockSize", BLOCK);
      document.put("bytes", plan.size);
      document.put("directory", plan.directory.toString());
      document.put("cache", cache());
      document.put("machine", machine.json());
      return document;
    }

    private static Map<String, Object> result(Side side, Transfer transfer, List<Pass> measured) {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("side", side.toString());
      result.put("operation", transfer.toString());
      Figures.put(result, "bytesPerSecond", median(measured, transfer, DdRun::bytesPerSecond));
      Figures.put(result, "realSeconds", median(measured, transfer, DdRun::seconds));
      Figures.put(result, "userSeconds", median(measured, transfer, run -> run.cpu().user()));
      Figures.put(result, "systemSeconds", median(measured, transfer, run -> run.cpu().system()));
      result.put("output", measured.stream().map(pass -> pass.run(transfer).summary()).toList());
      return result;
    }

    private String cache() {
      return passes.get(0).get(0).cache;
    }

    private Optional<List<Pass>> passes(Side side) {
      return passes.stream().filter(list -> list.get(0).side == side).findAny();
    }

    private static double median(
        List<Pass> passes, Transfer transfer, ToDoubleFunction<DdRun> value) {
      return Rounds.median(passes, pass -> value.applyAsDouble(pass.run(transfer)));
    }

    private double ratio(Side some, Side other, Transfer transfer) {
      List<Pass> others = passes(other).orElse(List.of());
      return Rounds.medianRatio(
          passes(some).orElseThrow(), others, pass -> pass.run(transfer).bytesPerSecond());
    }
  }
}
