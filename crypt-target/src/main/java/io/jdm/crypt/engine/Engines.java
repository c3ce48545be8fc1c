package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.SectorAlgorithm;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The engines of this process, and the choice among them. Thread-safe.
 *
 * <p>An engine proves itself by known answers for a cipher and mode before it is first chosen for
 * them; one that fails is left out with a warning to the log.
 */
public final class Engines {
  /** The name that leaves the choice to measurement. */
  public static final String AUTO = "auto";

  private final List<Engine> engines;

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
    for (Engine engine : engines) {
      if (engine.supports(algorithm)) {
        return engine;
      }
    }
    throw new EngineException("no engine has " + algorithm.cryptoApiName());
  }

  /**
   * The engine for a bare block cipher, as IV generators and tweaks need it: the one of this name
   * if it has the cipher, else any that has it.
   *
   * @param name of an engine, or null or {@link #AUTO} for any
   * @param keySize bytes
   * @throws EngineException if no engine has the cipher with such a key
   */
  public Engine selectBlock(String name, String cipher, int keySize) throws EngineException {
    for (Engine engine : engines) {
      if (engine.supportsBlock(cipher, keySize)) {
        return engine;
      }
    }
    throw new EngineException("no engine has " + cipher);
  }

  /** Whether the CPU's AES instructions are in use. */
  public static boolean hardwareAes() {
    return false;
  }

  private static final class Installed {
    static final Engines ENGINES =
        new Engines(
            ServiceLoader.load(Engine.class).stream().map(ServiceLoader.Provider::get).toList());
  }
}
