package io.jdm.volume.luks2;

import io.jdm.crypt.kdf.Digests;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.kdf.Pbkdf2;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.ByteString;
import io.jdm.volume.VolumeException;
import java.io.InterruptedIOException;
import java.security.MessageDigest;
import java.util.List;

/**
 * A digest, which proves a volume key (source: spec/luks2.md section 5.3).
 *
 * @param type {@code pbkdf2}, or one that is not known here
 * @param keyslots that hold this key
 * @param segments that this key is for
 * @param hash null for unknown types, and so are the following
 * @param digest bytes
 */
public record KeyDigest(
    int id,
    String type,
    List<Integer> keyslots,
    List<Integer> segments,
    String hash,
    int iterations,
    ByteString salt,
    ByteString digest) {
  /** Shorter ones would prove too little. */
  private static final int MIN_SIZE = 16;

  private static final int MAX_SIZE = 64;

  static KeyDigest parse(int id, Fields fields) throws VolumeException {
    String type = fields.text("type");
    List<Integer> keyslots = fields.ids("keyslots", Metadata.MAX_KEYSLOTS);
    List<Integer> segments = fields.ids("segments", Metadata.MAX_SEGMENTS);
    if (!type.equals("pbkdf2")) {
      return new KeyDigest(id, type, keyslots, segments, null, 0, null, null);
    }
    ByteString digest = fields.bytes("digest");
    if (digest.size() < MIN_SIZE || digest.size() > MAX_SIZE) {
      throw fields.damaged("digest", MIN_SIZE + " to " + MAX_SIZE + " bytes in base64");
    }
    return new KeyDigest(
        id,
        type,
        keyslots,
        segments,
        fields.text("hash"),
        fields.number("iterations", 1, Integer.MAX_VALUE),
        fields.bytes("salt"),
        digest);
  }

  /** Whether a key is the one; false also where the digest's type or hash is not here. */
  boolean proves(KeyMaterial key, KdfMonitor monitor) throws InterruptedIOException {
    if (hash == null || !Digests.known(hash)) {
      return false;
    }
    try (KeyMaterial derived =
        Pbkdf2.derive(hash, key, salt.toArray(), iterations, digest.size(), monitor)) {
      return MessageDigest.isEqual(derived.exposeBytes(), digest.toArray());
    }
  }
}
