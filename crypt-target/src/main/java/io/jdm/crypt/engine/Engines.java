package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The engines of this process, and the choice among them. Thread-safe.
 *
 * <p>An engine proves itself by known answers for a cipher and mode before it is first chosen for
 * them; one that fails is left out with a warning to the log.
 */
public final class Engines {
  /** The name that leaves the choice to measurement. */
  public static final String AUTO = "auto";

  private static final String PROPERTY = "jdm.engine";
  private static final String VARIABLE = "JDM_ENGINE";
  private static final Logger LOG = System.getLogger(Engines.class.getName());

  private final List<Engine> engines;
  private final Map<SectorAlgorithm, Engine> fastest = new HashMap<>();
  private final Map<Proof, String> proofs = new HashMap<>();

  /** Something that an engine was tested for; sector size 0 stands for the bare block cipher. */
  private record Proof(Engine engine, SectorAlgorithm algorithm) {}

  /**
   * These engines only.
   *
   * @param engines with different names
   */
  public Engines(List<Engine> engines) {
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
    throw new EngineException("no engine '" + name + "', there are " + names(engines));
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
    String wanted = name == null ? configured() : name;
    if (wanted.equals(AUTO)) {
      return fastest(algorithm);
    }
    Engine engine = byName(wanted);
    if (!engine.supports(algorithm)) {
      throw new EngineException(
          "engine " + wanted + " has no " + describe(algorithm) + "; " + whoHas(algorithm));
    }
    String fault = proof(engine, algorithm);
    if (!fault.isEmpty()) {
      throw new EngineException(fault);
    }
    return engine;
  }

  private static String configured() {
    String property = System.getProperty(PROPERTY, "");
    if (!property.isEmpty()) {
      return property;
    }
    String variable = System.getenv(VARIABLE);
    return variable == null || variable.isEmpty() ? AUTO : variable;
  }

  private synchronized Engine fastest(SectorAlgorithm algorithm) throws EngineException {
    Engine known = fastest.get(algorithm);
    if (known == null) {
      known = measure(algorithm);
      fastest.put(algorithm, known);
    }
    return known;
  }

  /** Measures those of the best kind that has the algorithm. */
  private Engine measure(SectorAlgorithm algorithm) throws EngineException {
    for (Engine.Kind kind : Engine.Kind.values()) {
      List<Engine> candidates =
          engines.stream()
              .filter(engine -> engine.kind() == kind)
              .filter(engine -> engine.supports(algorithm))
              .filter(engine -> proof(engine, algorithm).isEmpty())
              .toList();
      if (!candidates.isEmpty()) {
        return candidates.size() == 1 ? candidates.get(0) : Race.winner(candidates, algorithm);
      }
    }
    throw new EngineException(
        "no engine has " + describe(algorithm) + "; there are " + names(available()));
  }

  /**
   * The engine for a bare block cipher, as IV generators and tweaks need it: the one of this name
   * if it has the cipher, else any that has it.
   *
   * @param name of an engine; null as for {@link #select}; {@link #AUTO} for any
   * @param keySize bytes
   * @throws EngineException if no engine has the cipher with such a key
   */
  public Engine selectBlock(String name, String cipher, int keySize) throws EngineException {
    String wanted = name == null ? configured() : name;
    List<Engine> candidates = new ArrayList<>(engines);
    if (!wanted.equals(AUTO)) {
      Engine first = byName(wanted);
      candidates.remove(first);
      candidates.add(0, first);
    }
    SectorAlgorithm bare = new SectorAlgorithm(cipher, "ecb", keySize, 0);
    for (Engine engine : candidates) {
      if (engine.supportsBlock(cipher, keySize) && proof(engine, bare).isEmpty()) {
        return engine;
      }
    }
    throw new EngineException(
        "no engine has "
            + cipher
            + " with a key of "
            + keySize
            + " bytes; there are "
            + names(available()));
  }

  /** What is wrong with the engine for an algorithm; empty if it gives the known answers. */
  private synchronized String proof(Engine engine, SectorAlgorithm algorithm) {
    return proofs.computeIfAbsent(new Proof(engine, algorithm), Engines::test);
  }

  private static String test(Proof proof) {
    SelfTest test = new SelfTest(proof.engine);
    SectorAlgorithm algorithm = proof.algorithm;
    try {
      if (algorithm.sectorSize() == 0) {
        test.block(algorithm.cipher(), algorithm.keySize());
      } else {
        test.sector(algorithm);
      }
      return "";
    } catch (EngineException e) {
      LOG.log(Level.WARNING, "left out: " + e.getMessage());
      return e.getMessage();
    }
  }

  private String whoHas(SectorAlgorithm algorithm) {
    Predicate<Engine> has = engine -> engine.supports(algorithm);
    List<Engine> others = engines.stream().filter(has).toList();
    return switch (others.size()) {
      case 0 -> "no other does";
      case 1 -> names(others) + " does";
      default -> names(others) + " do";
    };
  }

  /** As users write it: {@code serpent-xts with a key of 64 bytes}. */
  private static String describe(SectorAlgorithm algorithm) {
    String name = algorithm.cipher() + "-" + algorithm.mode();
    if (!Ciphers.valid(algorithm.cipher(), algorithm.mode())) {
      return name;
    }
    return name + " with a key of " + algorithm.keySize() + " bytes";
  }

  private List<Engine> available() {
    return engines.stream().filter(engine -> engine.availability().available()).toList();
  }

  private static String names(List<Engine> engines) {
    return engines.stream().map(Engine::name).sorted().collect(Collectors.joining(", "));
  }

  /**
   * Whether the CPU's AES instructions are in use: what Linux says of the CPU, elsewhere how fast
   * the JDK decrypts. Measuring takes some 50 ms.
   */
  public static boolean hardwareAes() {
    return HardwareAes.inUse();
  }

  private static final class Installed {
    static final Engines ENGINES = found(ServiceLoader.load(Engine.class));
  }

  /** Those that can be made; the others are left out with a warning. */
  static Engines found(ServiceLoader<Engine> loader) {
    List<Engine> engines = new ArrayList<>();
    Iterator<Engine> found = loader.iterator();
    while (true) {
      try {
        if (!found.hasNext()) {
          return new Engines(engines);
        }
        engines.add(found.next());
      } catch (ServiceConfigurationError e) {
        LOG.log(Level.WARNING, "left out: " + e.getMessage());
      }
    }
  }
}
