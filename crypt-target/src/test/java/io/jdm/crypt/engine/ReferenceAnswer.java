package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A line of {@code reference-answers.tsv}, whose head says what it is and where it is from. */
record ReferenceAnswer(SectorAlgorithm algorithm, String ciphertextSha256) {
  private static final int DATA = 8192;
  private static final long FIRST_SECTOR = 0x123456789a8L;

  static List<ReferenceAnswer> all() {
    try (InputStream in = ReferenceAnswer.class.getResourceAsStream("reference-answers.tsv");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(ReferenceAnswer::parse)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ReferenceAnswer parse(String line) {
    String[] f = line.split("\t");
    return new ReferenceAnswer(
        new SectorAlgorithm(f[0], f[1], Integer.parseInt(f[2]), Integer.parseInt(f[3])), f[4]);
  }

  int sectors() {
    return DATA / algorithm.sectorSize();
  }

  byte[] key() {
    byte[] key = new byte[algorithm.keySize()];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (5 * i + 1);
    }
    return key;
  }

  byte[] plaintext() {
    byte[] plaintext = new byte[DATA];
    for (int i = 0; i < DATA; i++) {
      plaintext[i] = (byte) (7 * i + (i >> 8) + 3);
    }
    return plaintext;
  }

  byte[] ivs() {
    int ivSize = Ciphers.ivSize(algorithm.cipher(), algorithm.mode());
    ByteBuffer ivs = ByteBuffer.allocate(ivSize * sectors()).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; ivSize > 0 && i < sectors(); i++) {
      ivs.putLong(ivSize * i, FIRST_SECTOR + i * (algorithm.sectorSize() / 512L));
    }
    return ivs.array();
  }
}
