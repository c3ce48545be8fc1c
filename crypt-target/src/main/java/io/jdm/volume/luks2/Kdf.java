package io.jdm.volume.luks2;

import io.jdm.crypt.kdf.Argon2;
import io.jdm.crypt.kdf.Digests;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.kdf.Pbkdf2;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.Arguments;
import io.jdm.volume.ByteString;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.io.IOException;

/**
 * How a keyslot derives its key from a passphrase.
 *
 * @param type {@code pbkdf2}, {@code argon2i} or {@code argon2id}
 * @param salt bytes
 * @param hash of pbkdf2; null otherwise
 * @param iterations of pbkdf2; 0 otherwise
 * @param cost of Argon2; null otherwise
 */
public record Kdf(String type, ByteString salt, String hash, int iterations, Argon2.Cost cost) {
  private static final String PBKDF2 = "pbkdf2";
  private static final int SALT_SIZE = 32;
  private static final int MAX_LANES = 1 << 10;

  static Kdf parse(Fields fields) throws VolumeException {
    String type = fields.text("type");
    ByteString salt = fields.bytes("salt");
    if (salt.size() != SALT_SIZE) {
      throw fields.damaged("salt", SALT_SIZE + " bytes in base64");
    }
    switch (type) {
      case PBKDF2 -> {
        fields.requireOnly("type", "salt", "hash", "iterations");
        int iterations = fields.number("iterations", 1, Integer.MAX_VALUE);
        return new Kdf(type, salt, fields.text("hash"), iterations, null);
      }
      case "argon2i", "argon2id" -> {
        fields.requireOnly("type", "salt", "time", "memory", "cpus");
        int lanes = fields.number("cpus", 1, MAX_LANES);
        int passes = fields.number("time", 1, Integer.MAX_VALUE);
        int memory = fields.number("memory", 8 * lanes, Integer.MAX_VALUE);
        return new Kdf(type, salt, null, 0, new Argon2.Cost(passes, memory, lanes));
      }
      default -> throw fields.damaged("type", "pbkdf2, argon2i or argon2id");
    }
  }

  /**
   * Derives a key, which the caller closes.
   *
   * @throws VolumeException {@code UNSUPPORTED} for a hash that is not here
   */
  KeyMaterial derive(KeyMaterial passphrase, int size, KdfMonitor monitor) throws IOException {
    if (cost != null) {
      Argon2.Type variant = type.equals("argon2i") ? Argon2.Type.ARGON2I : Argon2.Type.ARGON2ID;
      return Argon2.derive(variant, passphrase, salt.toArray(), cost, size, monitor);
    }
    requireHash(hash);
    return Pbkdf2.derive(hash, passphrase, salt.toArray(), iterations, size, monitor);
  }

  static void requireHash(String hash) throws VolumeException {
    if (!Digests.known(hash)) {
      throw VolumeException.of(
          Reason.UNSUPPORTED,
          Luks2Volume.FORMAT,
          "there is no hash " + Arguments.show(hash) + " here");
    }
  }
}
