package io.jdm.cli.bench;

import io.jdm.blockdev.io.BufferPool;
import io.jdm.cli.report.Progress;
import io.jdm.cli.report.Table;
import io.jdm.cli.session.UsageException;
import io.jdm.crypt.cipher.CipherSpec;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How fast ciphers are, in memory, as {@code cryptsetup benchmark} and {@code openssl speed} tell
 * it: every combination of engines, ciphers, key, sector and request sizes and numbers of threads
 * that exists, both directions. Data is transformed in place, in buffers as the engine likes them;
 * what makes IVs is not measured, and so the IV mode of a cipher is not looked at, as in
 * cryptsetup.
 */
public final class CipherBenchmark {
  private CipherBenchmark() {}

  /**
   * What to measure. Lists hold at least one value, except where noted.
   *
   * @param engines by name; {@code auto} for the fastest of each algorithm; empty for all
   * @param ciphers in cryptsetup's words: {@code aes-xts}, {@code aes-cbc-essiv:sha256}
   * @param keyBits empty for the size of AES-256 with each cipher, or its largest
   * @param sectorSizes bytes
   * @param requests bytes
   * @param threads numbers of threads
   * @param seconds how long each is measured, all rounds together
   * @param peers whether OpenSSL is measured beside ours
   */
  public record Plan(
      List<String> engines,
      List<String> ciphers,
      List<Integer> keyBits,
      List<Integer> sectorSizes,
      List<Integer> requests,
      List<Integer> threads,
      double seconds,
      boolean peers) {}

  /** One line of the result. */
  private record Row(CipherCase what, List<Sample> samples, double toPeer, double toSingle) {}

  /** What was measured. */
  public static final class Report {
    private final Machine machine = Machine.here();
    private final List<Row> rows;

    private Report(List<Row> rows) {
      this.rows = List.copyOf(rows);
    }

    /** For people. */
    public String text() {
      Table table =
          new Table()
              .words("Engine", "Cipher")
              .numbers("Key", "Sector", "Request", "Threads")
              .words("Direction")
              .numbers("MB/s", "MB/s CPU", "x openssl", "x 1 thread");
      for (Row row : rows) {
        CipherCase what = row.what;
        table.row(
            what.engine(),
            what.cipher(),
            what.keyBits() + "b",
            String.valueOf(what.sectorSize()),
            String.valueOf(what.requestBytes()),
            String.valueOf(what.threads()),
            what.direction().toString(),
            Figures.megabytes(Rounds.median(row.samples, Sample::bytesPerSecond)),
            Figures.megabytes(Rounds.median(row.samples, Sample::cpuBytesPerSecond)),
            Figures.ratio(row.toPeer),
            Figures.ratio(row.toSingle));
      }
      return machine.text()
          + "\n"
          + table
          + "\nMB/s: by the wall clock, all threads together (1 MB = 1000000 bytes). MB/s CPU: by the"
          + " threads' own CPU time.\nx openssl: by CPU time, per thread, at the same request size;"
          + " openssl sets no IV between sectors.\nx 1 thread: by the wall clock.\n";
    }

    /** For programs: {@code results} and {@code machine}. */
    public Map<String, Object> json() {
      List<Map<String, Object>> results = new ArrayList<>();
      for (Row row : rows) {
        CipherCase what = row.what;
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("engine", what.engine());
        result.put("cipher", what.cipher());
        result.put("keyBits", what.keyBits());
        result.put("sectorSize", what.sectorSize());
        result.put("requestBytes", what.requestBytes());
        result.put("threads", what.threads());
        result.put("direction", what.direction().toString());
        Figures.put(result, "bytesPerSecond", Rounds.median(row.samples, Sample::bytesPerSecond));
        Figures.put(
            result, "cpuBytesPerSecond", Rounds.median(row.samples, Sample::cpuBytesPerSecond));
        Figures.put(result, "ratioToOpenssl", row.toPeer);
        Figures.put(result, "ratioToOneThread", row.toSingle);
        result.put("rounds", row.samples.size());
        results.add(result);
      }
      Map<String, Object> document = new LinkedHashMap<>();
      document.put("results", results);
      document.put("machine", machine.json());
      return document;
    }
  }

  /**
   * Measures.
   *
   * @throws EngineException for an engine that is not there, or a cipher that none of them has
   * @throws UsageException for sizes that do not go with any of the ciphers
   * @throws IOException for a cipher word that is none, or if an engine or peer fails
   */
  public static Report run(Plan plan, Progress progress) throws IOException, UsageException {
    List<Timed> ours = new ArrayList<>();
    try {
      prepare(plan, ours);
      List<Rounds.Contestant<Sample>> contestants = new ArrayList<>();
      for (Timed timed : ours) {
        contestants.add(new Rounds.Contestant<>(timed.what.toString(), timed::measure));
      }
      Map<CipherCase, Integer> peers = addPeers(plan, ours, contestants);
      for (Timed timed : ours) {
        progress.show("warming up: " + timed.what);
        timed.measure();
      }
      return new Report(
          rows(ours, Rounds.interleave(Rounds.DEFAULT, contestants, progress), peers));
    } finally {
      progress.clear();
      ours.forEach(Timed::close);
    }
  }

  /** The rows of ours, and of every peer behind the first. */
  private static List<Row> rows(
      List<Timed> ours, List<List<Sample>> samples, Map<CipherCase, Integer> peers) {
    Map<CipherCase, List<Sample>> byCase = new LinkedHashMap<>();
    for (int i = 0; i < ours.size(); i++) {
      byCase.put(ours.get(i).what, samples.get(i));
    }
    List<Row> rows = new ArrayList<>();
    for (Timed timed : ours) {
      CipherCase what = timed.what;
      List<Sample> measured = byCase.get(what);
      Integer peer = peers.get(timed.peer);
      List<Sample> single = what.threads() == 1 ? null : byCase.get(what.single());
      rows.add(
          new Row(
              what,
              measured,
              peer == null
                  ? Double.NaN
                  : Rounds.medianRatio(measured, samples.get(peer), Sample::cpuBytesPerSecond)
                      / what.threads(),
              single == null
                  ? Double.NaN
                  : Rounds.medianRatio(measured, single, Sample::bytesPerSecond)));
    }
    peers.forEach(
        (what, index) -> rows.add(new Row(what, samples.get(index), Double.NaN, Double.NaN)));
    return rows;
  }

  /** Adds OpenSSL's contestants and returns where each stands. */
  private static Map<CipherCase, Integer> addPeers(
      Plan plan, List<Timed> ours, List<Rounds.Contestant<Sample>> contestants) throws IOException {
    Map<CipherCase, Integer> peers = new LinkedHashMap<>();
    Optional<OpensslSpeed> openssl = plan.peers ? OpensslSpeed.find() : Optional.empty();
    if (openssl.isPresent()) {
      for (Timed timed : ours) {
        CipherCase peer = timed.peer;
        if (!peers.containsKey(peer) && openssl.get().has(peer)) {
          peers.put(peer, contestants.size());
          contestants.add(openssl.get().contestant(peer));
        }
      }
    }
    return peers;
  }

  private static void prepare(Plan plan, List<Timed> timed) throws IOException, UsageException {
    Buffers buffers = new Buffers();
    long nanos = (long) (plan.seconds / Rounds.DEFAULT * TimeUnit.SECONDS.toNanos(1));
    boolean anyKeyFits = false;
    for (String word : plan.ciphers) {
      CipherWord cipher = CipherWord.parse(word);
      CipherSpec spec = cipher.spec();
      List<Integer> keyBytes = keyBytes(plan, cipher);
      anyKeyFits |= !keyBytes.isEmpty();
      boolean anyEngine = keyBytes.isEmpty();
      for (int bytes : keyBytes) {
        for (int sectorSize : plan.sectorSizes) {
          SectorAlgorithm algorithm = cipher.algorithm(bytes, sectorSize);
          for (Engine engine : engines(plan, algorithm)) {
            anyEngine = true;
            addCases(plan, word, algorithm, engine, buffers, nanos, timed);
          }
        }
      }
      if (!anyEngine) {
        throw new EngineException(
            (plan.engines.isEmpty()
                    ? "no engine"
                    : "none of the engines " + String.join(", ", plan.engines))
                + " has "
                + spec.cryptoApiName()
                + "; 'jdm engines' lists what each has");
      }
    }
    if (!anyKeyFits) {
      CipherWord cipher = CipherWord.parse(plan.ciphers.get(0));
      throw new UsageException(
          "no key of " + plan.keyBits + " bits goes with " + plan.ciphers,
          cipher.text() + " takes " + cipher.keySizes() + ".");
    }
    if (timed.isEmpty()) {
      throw new UsageException(
          "requests of "
              + plan.requests
              + " bytes are no multiples of sectors of "
              + plan.sectorSizes
              + " bytes",
          "");
    }
  }

  private static void addCases(
      Plan plan,
      String word,
      SectorAlgorithm algorithm,
      Engine engine,
      Buffers buffers,
      long nanos,
      List<Timed> timed)
      throws IOException {
    for (int request : plan.requests) {
      if (request % algorithm.sectorSize() != 0) {
        continue;
      }
      for (int threads : plan.threads) {
        for (Direction direction : Direction.values()) {
          CipherCase what =
              new CipherCase(
                  engine.name(),
                  word,
                  8 * algorithm.keySize(),
                  algorithm.sectorSize(),
                  request,
                  threads,
                  direction);
          timed.add(new Timed(what, algorithm, engine, buffers, nanos));
        }
      }
    }
  }

  private static List<Integer> keyBytes(Plan plan, CipherWord cipher) {
    return plan.keyBits.isEmpty()
        ? List.of(cipher.defaultKeyBytes())
        : plan.keyBits.stream()
            .filter(bits -> bits % 8 == 0 && cipher.takesKey(bits / 8))
            .map(bits -> bits / 8)
            .toList();
  }

  /** Those of the plan's engines that have the algorithm. */
  private static List<Engine> engines(Plan plan, SectorAlgorithm algorithm) throws EngineException {
    Engines installed = Engines.installed();
    if (plan.engines.isEmpty()) {
      return installed.all().stream().filter(engine -> engine.supports(algorithm)).toList();
    }
    List<Engine> engines = new ArrayList<>();
    for (String name : plan.engines) {
      if (name.equals(Engines.AUTO)) {
        engines.add(installed.select(Engines.AUTO, algorithm));
      } else if (installed.byName(name).supports(algorithm)) {
        engines.add(installed.select(name, algorithm));
      }
    }
    return engines.stream().distinct().toList();
  }

  /** The memory that all cases share: one buffer a thread, heap or direct, as large as needed. */
  private static final class Buffers {
    private final Map<Integer, ByteBuffer> direct = new LinkedHashMap<>();
    private final Map<Integer, ByteBuffer> heap = new LinkedHashMap<>();

    ByteBuffer get(int thread, boolean wantDirect, int size) {
      return (wantDirect ? direct : heap)
          .compute(
              thread,
              (unused, buffer) ->
                  buffer != null && buffer.capacity() >= size
                      ? buffer
                      : wantDirect ? BufferPool.allocateAligned(size) : ByteBuffer.allocate(size));
    }
  }

  /** A case with its ciphers, one a thread. */
  private static final class Timed implements AutoCloseable {
    private final CipherCase what;
    private final CipherCase peer;
    private final long nanos;
    private final List<SectorCipher> ciphers = new ArrayList<>();
    private final List<Team.Work> team = new ArrayList<>();

    Timed(CipherCase what, SectorAlgorithm algorithm, Engine engine, Buffers buffers, long nanos)
        throws IOException {
      this.what = what;
      this.peer = OpensslSpeed.peerOf(what, algorithm);
      this.nanos = nanos;
      try (KeyMaterial key = KeyMaterial.random(algorithm.keySize())) {
        for (int thread = 0; thread < what.threads(); thread++) {
          SectorCipher cipher = engine.sectorCipher(algorithm, key);
          ciphers.add(cipher);
          ByteBuffer buffer = buffers.get(thread, cipher.prefersDirect(), what.requestBytes());
          team.add(work(what, cipher, plainIvs(algorithm, what), buffer));
        }
      } catch (IOException | RuntimeException e) {
        close();
        throw e;
      }
    }

    /** As {@code plain} would make them: the sector's number in the first bytes. */
    private static byte[] plainIvs(SectorAlgorithm algorithm, CipherCase what) {
      int size = Ciphers.ivSize(algorithm.cipher(), algorithm.mode());
      int sectors = what.requestBytes() / what.sectorSize();
      ByteBuffer ivs = ByteBuffer.allocate(size * sectors).order(ByteOrder.LITTLE_ENDIAN);
      for (int sector = 0; sector < sectors && size > 0; sector++) {
        ivs.putInt(sector * size, sector);
      }
      return ivs.array();
    }

    /** The same request over and over. */
    private static Team.Work work(
        CipherCase what, SectorCipher cipher, byte[] ivs, ByteBuffer buffer) {
      int request = what.requestBytes();
      int batch = Team.batch(request);
      boolean encrypt = what.direction() == Direction.ENCRYPT;
      return () -> {
        for (int i = 0; i < batch; i++) {
          if (encrypt) {
            cipher.encrypt(ivs, buffer, 0, buffer, 0, request);
          } else {
            cipher.decrypt(ivs, buffer, 0, buffer, 0, request);
          }
        }
        return batch;
      };
    }

    Sample measure() throws IOException {
      return Team.run(team, what.requestBytes(), nanos);
    }

    @Override
    public void close() {
      ciphers.forEach(SectorCipher::close);
    }
  }
}
