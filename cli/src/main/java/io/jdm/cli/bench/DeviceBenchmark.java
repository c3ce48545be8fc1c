package io.jdm.cli.bench;

import com.sun.management.OperatingSystemMXBean;
import io.jdm.blockdev.file.FileDevice;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.blockdev.io.IoStatistics;
import io.jdm.cli.report.Progress;
import io.jdm.cli.report.Table;
import io.jdm.cli.session.UsageException;
import io.jdm.crypt.CryptTargetType;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.Keyring;
import io.jdm.mapper.DeviceMapper;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How fast devices are, each over the same file: the file through a bare FileChannel (raw), as a
 * block device (file), through a linear target, and through a crypt target with each engine.
 * Sequential requests of 1 MiB and random ones of 4 KiB, reads and writes, at several queue depths;
 * nothing is flushed, so what the page cache holds comes from there. Every request uses a
 * page-aligned direct buffer.
 */
public final class DeviceBenchmark {
  private static final OperatingSystemMXBean CPU =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private static final String RAW = "raw";
  private static final String FILE = "file";
  private static final String LINEAR = "linear";
  private static final String CRYPT = "crypt";
  private static final String QEMU = "qemu-img convert";
  private static final int MIB = 1 << 20;

  private final Plan plan;
  private final CipherWord cipher;
  private final TemporaryFile file;
  private final List<ByteBuffer> buffers = new ArrayList<>();

  private DeviceBenchmark(Plan plan, CipherWord cipher, TemporaryFile file) {
    this.plan = plan;
    this.cipher = cipher;
    this.file = file;
    int most = plan.depths.stream().mapToInt(Integer::intValue).max().orElse(0);
    for (int i = 0; i < most; i++) {
      buffers.add(BufferPool.allocateAligned(MIB));
    }
  }

  /**
   * What to measure.
   *
   * @param directory where the file is made
   * @param size of the file in bytes, a multiple of 1 MiB
   * @param sectorSize bytes of an encryption sector
   * @param cipher in cryptsetup's words
   * @param engines by name; empty for all that have the cipher
   * @param depths requests at a time
   * @param seconds how long each is measured, all rounds together
   * @param peers whether qemu-img is measured beside ours
   */
  public record Plan(
      Path directory,
      long size,
      int sectorSize,
      String cipher,
      List<String> engines,
      List<Integer> depths,
      double seconds,
      boolean peers) {}

  /** What is measured: a device, and a crypt device's engine. */
  private record Case(String device, String engine, Workload workload) {
    Case on(String otherDevice, String otherEngine) {
      return new Case(otherDevice, otherEngine, workload);
    }

    @Override
    public String toString() {
      return device + (engine.isEmpty() ? "" : " " + engine) + ", " + workload;
    }
  }

  /**
   * What one window showed.
   *
   * @param sample CPU time and heap are those of all threads, workers and compilers included
   * @param statistics the device's counters at the end, if it has any
   */
  private record Result(Sample sample, Optional<IoStatistics.Snapshot> statistics) {
    double bytesPerSecond() {
      return sample.bytesPerSecond();
    }

    double cpuBytesPerSecond() {
      return sample.cpuBytesPerSecond();
    }

    double allocatedPerRequest() {
      return (double) sample.allocatedBytes() / sample.operations();
    }
  }

  /**
   * Measures.
   *
   * @throws UsageException for a size that is not a number of MiB
   * @throws IOException for an unknown cipher or engine, for want of space, and if a device fails
   */
  public static Report run(Plan plan, Progress progress) throws IOException, UsageException {
    if (plan.size <= 0 || plan.size % MIB != 0) {
      throw new UsageException(
          "a size of " + plan.size + " bytes is no multiple of the " + MIB + " of a request", "");
    }
    CipherWord cipher = CipherWord.parse(plan.cipher);
    List<String> engines = engines(plan, cipher);
    TemporaryFile.checkSpace(plan.directory, plan.peers ? 2 * plan.size : plan.size);
    try (TemporaryFile file = TemporaryFile.create(plan.directory, plan.size)) {
      return new DeviceBenchmark(plan, cipher, file).measure(engines, progress);
    } finally {
      progress.clear();
    }
  }

  /** Those that have the cipher; selecting them proves them. */
  private static List<String> engines(Plan plan, CipherWord cipher)
      throws IOException, UsageException {
    Engines installed = Engines.installed();
    SectorAlgorithm algorithm = cipher.algorithm(cipher.defaultKeyBytes(), plan.sectorSize);
    if (plan.engines.isEmpty()) {
      installed.select(Engines.AUTO, algorithm);
      return installed.all().stream()
          .filter(engine -> engine.supports(algorithm))
          .map(Engine::name)
          .toList();
    }
    List<String> engines = new ArrayList<>();
    for (String name : plan.engines) {
      engines.add(installed.select(name, algorithm).name());
    }
    return engines.stream().distinct().toList();
  }

  private Report measure(List<String> engines, Progress progress) throws IOException {
    progress.show("filling " + file.path());
    fill();
    try (QemuConvert qemu = plan.peers ? qemu().orElse(null) : null) {
      List<Case> cases = cases(engines);
      List<Rounds.Contestant<Result>> contestants = new ArrayList<>();
      for (Case what : cases) {
        contestants.add(contestant(what));
      }
      for (Rounds.Contestant<Result> contestant : contestants) {
        progress.show("warming up: " + contestant.name());
        contestant.measurement().take();
      }
      if (qemu != null) {
        Case peer = new Case(QEMU, "qemu", new Workload(true, Transfer.READ, MIB, 1));
        cases.add(peer);
        contestants.add(
            new Rounds.Contestant<>(
                peer.toString(), () -> new Result(qemu.measure(), Optional.empty())));
      }
      List<List<Result>> results = Rounds.interleave(Rounds.DEFAULT, contestants, progress);
      Map<Case, List<Result>> byCase = new LinkedHashMap<>();
      for (int i = 0; i < cases.size(); i++) {
        byCase.put(cases.get(i), results.get(i));
      }
      return new Report(plan, 8 * cipher.defaultKeyBytes(), byCase);
    }
  }

  private Optional<QemuConvert> qemu() throws IOException {
    return QemuConvert.create(
        cipher, cipher.defaultKeyBytes(), plan.sectorSize, file.path(), plan.size);
  }

  /** Data everywhere, so that no hole is read. */
  private void fill() throws IOException {
    ByteBuffer data = buffers.get(0);
    for (int i = 0; i < MIB; i += Integer.BYTES) {
      data.putInt(i, i * 0x9e3779b9);
    }
    try (FileDevice device = FileDevice.open(file.path(), true)) {
      for (long offset = 0; offset < plan.size; offset += MIB) {
        device.write(offset, data.clear());
      }
      device.flush();
    }
  }

  private List<Case> cases(List<String> engines) {
    List<Case> cases = new ArrayList<>();
    for (Workload workload : Workload.all(plan.depths)) {
      for (String device : List.of(RAW, FILE, LINEAR)) {
        cases.add(new Case(device, "", workload));
      }
      for (String engine : engines) {
        cases.add(new Case(CRYPT, engine, workload));
      }
    }
    return cases;
  }

  private Rounds.Contestant<Result> contestant(Case what) {
    long nanos = (long) (plan.seconds / Rounds.DEFAULT * TimeUnit.SECONDS.toNanos(1));
    return new Rounds.Contestant<>(
        what.toString(),
        () -> {
          try (Subject subject = open(what)) {
            Workload workload = what.workload;
            List<Team.Work> work = workload.team(subject, plan.size, buffers);
            Allocations before = Allocations.ofOthers();
            long cpu = CPU.getProcessCpuTime();
            Sample team = Team.run(work, workload.requestBytes(), nanos);
            cpu = CPU.getProcessCpuTime() - cpu;
            long others = Allocations.ofOthers().since(before);
            Sample all =
                new Sample(
                    team.bytes(),
                    team.operations(),
                    team.nanos(),
                    team.bytes() * 1e9 / cpu,
                    team.allocatedBytes() + others);
            return new Result(all, subject.statistics());
          }
        });
  }

  private Subject open(Case what) throws IOException {
    Path path = file.path();
    return switch (what.device) {
      case RAW ->
          Subject.of(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
      case FILE -> Subject.of(FileDevice.open(path, true));
      case LINEAR ->
          Subject.of(DeviceMapper.builder().build(), Tables.linear(LINEAR, path, plan.size));
      default ->
          Subject.of(
              DeviceMapper.builder()
                  .targetType(
                      new CryptTargetType(Engines.installed(), what.engine, Keyring.process()))
                  .build(),
              Tables.crypt(
                  CRYPT, cipher, cipher.defaultKeyBytes(), plan.sectorSize, path, plan.size));
    };
  }

  /** What was measured. */
  public static final class Report {
    private final Machine machine = Machine.here();
    private final Plan plan;
    private final int keyBits;
    private final Map<Case, List<Result>> results;

    private Report(Plan plan, int keyBits, Map<Case, List<Result>> results) {
      this.plan = plan;
      this.keyBits = keyBits;
      this.results = results;
    }

    /** For people. */
    public String text() {
      Table table =
          new Table()
              .words("Workload", "Device", "Engine")
              .numbers("MB/s", "MB/s CPU", "IOPS", "x raw", "x qemu", "B/request");
      results.forEach(
          (what, measured) ->
              table.row(
                  what.workload.toString(),
                  what.device,
                  what.engine,
                  Figures.megabytes(Rounds.median(measured, Result::bytesPerSecond)),
                  Figures.megabytes(Rounds.median(measured, Result::cpuBytesPerSecond)),
                  Figures.number(
                      Rounds.median(measured, result -> result.sample.operationsPerSecond()), 0),
                  Figures.ratio(toRaw(what, measured)),
                  Figures.ratio(toQemu(what, measured)),
                  Figures.number(Rounds.median(measured, Result::allocatedPerRequest), 1)));
      return machine.text()
          + "Cipher   "
          + plan.cipher
          + ", "
          + keyBits
          + "-bit key, sectors of "
          + plan.sectorSize
          + " bytes\nFile     "
          + plan.size
          + " bytes in "
          + plan.directory
          + "\n\n"
          + table
          + "\nMB/s CPU: by the CPU time of all threads. x raw, x qemu: by the wall clock. B/request: heap that all threads allocated.\n";
    }

    /** For programs: {@code results}, the settings and the machine. */
    public Map<String, Object> json() {
      Map<String, Object> document = new LinkedHashMap<>();
      document.put(
          "results",
          results.entrySet().stream().map(row -> result(row.getKey(), row.getValue())).toList());
      document.put("cipher", plan.cipher);
      document.put("keyBits", keyBits);
      document.put("sectorSize", plan.sectorSize);
      document.put("bytes", plan.size);
      document.put("directory", plan.directory.toString());
      document.put("rounds", Rounds.DEFAULT);
      document.put("machine", machine.json());
      return document;
    }

    private Map<String, Object> result(Case what, List<Result> measured) {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("device", what.device);
      result.put("engine", what.engine);
      result.put("pattern", what.workload.pattern());
      result.put("operation", what.workload.transfer().toString());
      result.put("requestBytes", what.workload.requestBytes());
      result.put("depth", what.workload.depth());
      Figures.put(result, "bytesPerSecond", Rounds.median(measured, Result::bytesPerSecond));
      Figures.put(result, "cpuBytesPerSecond", Rounds.median(measured, Result::cpuBytesPerSecond));
      Figures.put(
          result,
          "requestsPerSecond",
          Rounds.median(measured, each -> each.sample.operationsPerSecond()));
      Figures.put(result, "ratioToRaw", toRaw(what, measured));
      Figures.put(result, "ratioToQemu", toQemu(what, measured));
      Figures.put(
          result, "allocatedBytesPerRequest", Rounds.median(measured, Result::allocatedPerRequest));
      measured
          .get(measured.size() - 1)
          .statistics
          .ifPresent(counters -> result.put("statistics", json(counters)));
      return result;
    }

    private static Map<String, Object> json(IoStatistics.Snapshot counters) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("reads", counters.read().requests());
      object.put("readsMerged", counters.read().merged());
      object.put("readSectors", counters.read().sectors());
      object.put("readMillis", counters.read().millis());
      object.put("writes", counters.write().requests());
      object.put("writesMerged", counters.write().merged());
      object.put("writeSectors", counters.write().sectors());
      object.put("writeMillis", counters.write().millis());
      object.put("inFlight", counters.inFlight());
      object.put("busyMillis", counters.busyMillis());
      object.put("weightedMillis", counters.weightedMillis());
      return object;
    }

    private double toRaw(Case what, List<Result> measured) {
      return what.device.equals(RAW) ? Double.NaN : ratio(measured, what.on(RAW, ""));
    }

    private double toQemu(Case what, List<Result> measured) {
      return what.device.equals(CRYPT) ? ratio(measured, what.on(QEMU, "qemu")) : Double.NaN;
    }

    private double ratio(List<Result> measured, Case other) {
      return Rounds.medianRatio(
          measured, results.getOrDefault(other, List.of()), Result::bytesPerSecond);
    }
  }
}
