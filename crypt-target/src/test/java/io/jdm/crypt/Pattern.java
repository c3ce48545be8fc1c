package io.jdm.crypt;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The plaintext of the oracle, as its README describes it. */
final class Pattern {
  private static final byte[] NAME = "dmcrypt-oracle".getBytes(StandardCharsets.US_ASCII);
  private static final int HASHES = 16;

  private Pattern() {}

  /** Sectors of 512 bytes from sector 0 on. */
  static byte[] sectors(int count) {
    MessageDigest sha256 = sha256();
    ByteBuffer pattern = ByteBuffer.allocate(512 * count);
    ByteBuffer numbers = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < HASHES; j++) {
        sha256.update(NAME);
        sha256.update(numbers.putLong(0, i).putInt(8, j).array());
        pattern.put(sha256.digest());
      }
    }
    return pattern.array();
  }

  /** SHA-256 in hex. */
  static String hash(byte[] data) {
    return HexFormat.of().formatHex(sha256().digest(data));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
