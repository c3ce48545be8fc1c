package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.SectorAlgorithm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * One line of {@code known-answers.tsv}, whose head describes the format. Its keys are published,
 * so they need no care.
 */
record KnownAnswer(
    String cipher,
    String mode,
    String keyHex,
    String ivHex,
    String plaintextText,
    String ciphertextHex,
    String source) {
  private static final String PATTERN = "pattern:";
  private static final int SECTOR = 512;

  private static final List<KnownAnswer> ALL = load();

  /** All lines. */
  static List<KnownAnswer> all() {
    return ALL;
  }

  private static List<KnownAnswer> load() {
    try (InputStream in = KnownAnswer.class.getResourceAsStream("known-answers.tsv");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return lines.lines().filter(line -> !line.startsWith("#")).map(KnownAnswer::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KnownAnswer parse(String line) {
    String[] f = line.split("\t");
    return new KnownAnswer(f[0], f[1], f[2], f[3], f[4], f[5], f[6]);
  }

  /** Bytes of the key as the chain mode takes it. */
  int keySize() {
    return keyHex.length() / 2;
  }

  byte[] key() {
    return HexFormat.of().parseHex(keyHex);
  }

  /** Empty for ecb. */
  byte[] iv() {
    return ivHex.equals("-") ? new byte[0] : HexFormat.of().parseHex(ivHex);
  }

  byte[] plaintext() {
    return plaintextText.startsWith(PATTERN)
        ? pattern(Long.parseLong(plaintextText.substring(PATTERN.length())))
        : HexFormat.of().parseHex(plaintextText);
  }

  /** As long as the plaintext: a sector, or for most modes the start of one. */
  byte[] ciphertext() {
    return HexFormat.of().parseHex(ciphertextHex);
  }

  /** The algorithm; adiantum's answers are for sectors of 512 bytes whatever is asked. */
  SectorAlgorithm algorithm(int sectorSize) {
    return new SectorAlgorithm(
        cipher, mode, keySize(), mode.equals("adiantum") ? SECTOR : sectorSize);
  }

  private static byte[] pattern(long sector) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      byte[] pattern = new byte[0];
      for (int part = 0; pattern.length < SECTOR; part++) {
        sha256.update("dmcrypt-oracle".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer counters = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
        byte[] digest = sha256.digest(counters.putLong(sector).putInt(part).array());
        pattern = Arrays.copyOf(pattern, pattern.length + digest.length);
        System.arraycopy(digest, 0, pattern, pattern.length - digest.length, digest.length);
      }
      return pattern;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
