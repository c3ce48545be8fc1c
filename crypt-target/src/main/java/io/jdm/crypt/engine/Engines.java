package io.jdm.crypt.engine;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.cipher.SectorAlgorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The engines of this process, and the choice among them. Thread-safe.
 *
 * <p>An engine proves itself by known answers for a cipher and mode before it is first chosen for
 * them; one that fails is left out with a warning to the log.
 */
public final class Engines {
  /** The name that leaves the choice to measurement. */
  public static final String AUTO = "auto";

  private static final System.Logger LOG = System.getLogger(Engines.class.getName());

  /** No CPU does AES-256 faster than this in plain instructions. */
  private static final double SOFTWARE_AES_BYTES_PER_SECOND = 600e6;

  private final List<Engine> engines;
  private final Map<SectorAlgorithm, Engine> chosen = new ConcurrentHashMap<>();
  private final Map<Proof, Boolean> proofs = new ConcurrentHashMap<>();

  /** These engines only; for tests. */
  Engines(List<Engine> engines) {
    this.engines = List.copyOf(engines);
  }

  /** All that {@link ServiceLoader} finds, loaded once. */
  public static Engines installed() {
    return Installed.ENGINES;
  }

  /** Also those that cannot be used; {@link Engine#availability()} says why. */
  public List<Engine> all() {
    return engines;
  }

  /**
   * The engine of this name.
   *
   * @throws EngineException if there is none, or it cannot be used here
   */
  public Engine byName(String name) throws EngineException {
    for (Engine engine : engines) {
      if (engine.name().equals(name)) {
        if (!engine.availability().available()) {
          throw new EngineException(
              "engine " + name + " cannot be used: " + engine.availability().reason());
        }
        return engine;
      }
    }
    throw new EngineException(
        "no engine "
            + name
            + ", there are "
            + String.join(", ", engines.stream().map(Engine::name).toList()));
  }

  /**
   * The engine for an algorithm.
   *
   * @param name of an engine; {@link #AUTO} for the fastest that has the algorithm, measured once a
   *     process; null for what the system property {@code jdm.engine}, else the environment
   *     variable {@code JDM_ENGINE}, else {@link #AUTO} says
   * @throws EngineException naming what was asked for and which engines have it
   */
  public Engine select(String name, SectorAlgorithm algorithm) throws EngineException {
    String wanted = name != null ? name : configured();
    if (wanted.equals(AUTO)) {
      Engine engine = chosen.get(algorithm);
      if (engine == null) {
        engine = choose(algorithm);
        chosen.put(algorithm, engine);
      }
      return engine;
    }
    Engine engine = byName(wanted);
    if (!engine.supports(algorithm) || !proven(engine, algorithm)) {
      throw new EngineException(
          "engine " + wanted + " has no " + words(algorithm) + "; " + who(having(algorithm)));
    }
    return engine;
  }

  private static String configured() {
    String name = System.getProperty("jdm.engine", System.getenv("JDM_ENGINE"));
    return name == null || name.isEmpty() ? AUTO : name;
  }

  private Engine choose(SectorAlgorithm algorithm) throws EngineException {
    List<Engine> having = having(algorithm);
    if (having.isEmpty()) {
      throw new EngineException(
          "no engine has " + words(algorithm) + "; there are " + String.join(", ", usable()));
    }
    return having.size() == 1 ? having.get(0) : Calibration.fastest(having, algorithm);
  }

  private List<Engine> having(SectorAlgorithm algorithm) {
    return engines.stream()
        .filter(engine -> engine.supports(algorithm) && proven(engine, algorithm))
        .toList();
  }

  private boolean proven(Engine engine, SectorAlgorithm algorithm) {
    return proofs.computeIfAbsent(
        new Proof(engine.name(), algorithm),
        proof -> {
          try {
            KnownAnswers.prove(engine, algorithm);
            return true;
          } catch (EngineException e) {
            LOG.log(System.Logger.Level.WARNING, e.getMessage() + "; it is not used for this", e);
            return false;
          }
        });
  }

  private List<String> usable() {
    return engines.stream()
        .filter(engine -> engine.availability().available())
        .map(Engine::name)
        .toList();
  }

  private static String words(SectorAlgorithm algorithm) {
    return algorithm.cryptoApiName() + " with a key of " + algorithm.keySize() + " bytes";
  }

  private static String who(List<Engine> having) {
    return having.isEmpty()
        ? "no engine has"
        : String.join(", ", having.stream().map(Engine::name).toList())
            + (having.size() == 1 ? " has" : " have");
  }

  /**
   * The engine for a bare block cipher, as IV generators and tweaks need it: the one of this name
   * if it has the cipher, else any that has it.
   *
   * @param name of an engine; {@link #AUTO} or null for any
   * @param keySize bytes
   * @throws EngineException if no engine has the cipher with such a key
   */
  public Engine selectBlock(String name, String cipher, int keySize) throws EngineException {
    SectorAlgorithm ecb = new SectorAlgorithm(cipher, "ecb", keySize, Sectors.SIZE);
    Engine other = null;
    for (Engine engine : engines) {
      if (engine.supportsBlock(cipher, keySize) && proven(engine, ecb)) {
        if (name == null || name.equals(AUTO) || engine.name().equals(name)) {
          return engine;
        }
        other = other == null ? engine : other;
      }
    }
    if (other == null) {
      throw new EngineException("no engine has " + cipher + " with a key of " + keySize + " bytes");
    }
    return other;
  }

  /**
   * Whether the CPU's AES instructions are in use: on Linux what {@code /proc/cpuinfo} says,
   * elsewhere whether the fastest engine is faster at AES than a CPU without them can be.
   */
  public static boolean hardwareAes() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("flags") || line.startsWith("Features")) {
          return List.of(line.split("\\s+")).contains("aes");
        }
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "no /proc/cpuinfo, measuring instead", e);
    }
    SectorAlgorithm aes = new SectorAlgorithm("aes", "ecb", 32, 4096);
    try {
      Engine engine = installed().select(AUTO, aes);
      return Calibration.bytesPerSecond(engine, aes) > SOFTWARE_AES_BYTES_PER_SECOND;
    } catch (EngineException e) {
      return false;
    }
  }

  private record Proof(String engine, SectorAlgorithm algorithm) {}

  private static final class Installed {
    static final Engines ENGINES =
        new Engines(
            ServiceLoader.load(Engine.class).stream().map(ServiceLoader.Provider::get).toList());
  }
}
