package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;

/**
 * An implementation of ciphers: a provider, a native library. Found through {@link
 * java.util.ServiceLoader}; constructing one must cost nothing and never fail. Thread-safe. Users
 * go through {@code Engines}, which also proves an engine by known answers before its first use.
 */
public interface Engine {
  /** The name for {@code --engine}: lower case, no spaces. */
  String name();

  /**
   * Whether it can be used on this machine, with version or reason; the first call loads libraries,
   * later ones are free.
   */
  Availability availability();

  /**
   * Whether {@link #sectorCipher} takes this algorithm. False for everything if the engine is not
   * available.
   */
  boolean supports(SectorAlgorithm algorithm);

  /** Whether {@link #blockCipher} takes this cipher with a key of so many bytes. */
  boolean supportsBlock(String cipher, int keySize);

  /**
   * A new keyed cipher. The key stays the caller's.
   *
   * @throws EngineException if the engine refuses, for instance a key its library thinks weak
   */
  SectorCipher sectorCipher(SectorAlgorithm algorithm, KeyMaterial key) throws EngineException;

  /**
   * How its work is done, which decides how fast it can be: an engine is only measured against
   * others of its own kind, and not even loaded where one of a better kind will do.
   */
  Kind kind();

  /** A new keyed block cipher. The key stays the caller's. */
  BlockCipher blockCipher(String cipher, KeyMaterial key) throws EngineException;

  /** Kinds of engines, the fastest first: each is several times as fast as the next. */
  enum Kind {
    /** A native library that works on the caller's memory. */
    NATIVE,
    /** A provider behind the Java Cryptography Architecture. */
    PROVIDER,
    /** Ciphers written in Java. */
    JAVA
  }

  /** Whether an engine can be used. */
  record Availability(boolean available, String version, String reason) {
    /** Usable. */
    public static Availability of(String version) {
      return new Availability(true, version, "");
    }

    /** Not usable, and why: one clause without a full stop. */
    public static Availability missing(String reason) {
      return new Availability(false, "", reason);
    }
  }
}
