package io.jdm.volume;

import io.jdm.crypt.kdf.Argon2;

/**
 * What unlocking a new keyslot shall cost.
 *
 * @param type {@code pbkdf2}, {@code argon2i} or {@code argon2id}
 * @param hash of pbkdf2; null otherwise
 * @param iterations of pbkdf2; 0 otherwise
 * @param cost of Argon2; null otherwise
 */
public record KeyslotCost(String type, String hash, int iterations, Argon2.Cost cost) {
  /** Fewer make guessing too cheap; cryptsetup refuses them too. */
  public static final int MIN_ITERATIONS = 1000;

  /** Fewer make guessing too cheap; cryptsetup refuses them too. */
  public static final int MIN_PASSES = 4;

  public KeyslotCost {
    boolean pbkdf2 = type.equals("pbkdf2");
    if (pbkdf2 != (cost == null) || pbkdf2 != (hash != null)) {
      throw new IllegalArgumentException(type + " with " + hash + " and " + cost);
    }
  }

  /**
   * PBKDF2.
   *
   * @param iterations from 1
   */
  public static KeyslotCost pbkdf2(String hash, int iterations) {
    return new KeyslotCost("pbkdf2", hash, iterations, null);
  }

  /** Argon2id. */
  public static KeyslotCost argon2id(Argon2.Cost cost) {
    return new KeyslotCost("argon2id", null, 0, cost);
  }

  /** Argon2i. */
  public static KeyslotCost argon2i(Argon2.Cost cost) {
    return new KeyslotCost("argon2i", null, 0, cost);
  }
}
