package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The answers that an engine gives before it is trusted, from the file {@code known-answers.tsv},
 * which says where they come from.
 */
final class KnownAnswers {
  private static final String FILE = "known-answers.tsv";
  private static final int DATA = 8192;
  private static final long FIRST_SECTOR = 0x123456789a8L;
  private static final List<Answer> ANSWERS = read();

  private KnownAnswers() {}

  /** A row of the file. */
  record Answer(SectorAlgorithm algorithm, String ciphertextSha256) {}

  /** All rows. */
  static List<Answer> all() {
    return ANSWERS;
  }

  /**
   * Puts an engine to the test: by the answer for just this algorithm, else by all for its cipher
   * and mode that the engine takes.
   *
   * @throws EngineException if it gives another answer, or fails
   */
  static void prove(Engine engine, SectorAlgorithm algorithm) throws EngineException {
    List<Answer> same =
        ANSWERS.stream()
            .filter(answer -> answer.algorithm.cipher().equals(algorithm.cipher()))
            .filter(answer -> answer.algorithm.mode().equals(algorithm.mode()))
            .filter(answer -> engine.supports(answer.algorithm))
            .toList();
    List<Answer> exact =
        same.stream().filter(answer -> answer.algorithm.equals(algorithm)).toList();
    for (Answer answer : exact.isEmpty() ? same : exact) {
      prove(engine, answer);
    }
  }

  private static void prove(Engine engine, Answer answer) throws EngineException {
    SectorAlgorithm algorithm = answer.algorithm;
    byte[] key = new byte[algorithm.keySize()];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (5 * i + 1);
    }
    ByteBuffer plain = ByteBuffer.allocate(DATA);
    for (int i = 0; i < DATA; i++) {
      plain.put(i, (byte) (7 * i + (i >> 8) + 3));
    }
    byte[] ivs = ivs(algorithm);
    ByteBuffer result = ByteBuffer.allocateDirect(DATA);
    try (KeyMaterial material = KeyMaterial.moveFrom(key);
        SectorCipher cipher = engine.sectorCipher(algorithm, material)) {
      cipher.encrypt(ivs, plain, 0, result, 0, DATA);
      if (!sha256(result).equals(answer.ciphertextSha256)) {
        throw wrong(engine, algorithm, "encryption");
      }
      cipher.decrypt(ivs, result, 0, result, 0, DATA);
      if (!result.equals(plain)) {
        throw wrong(engine, algorithm, "decryption");
      }
    } catch (EngineException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new EngineException(
          "engine " + engine.name() + " fails with " + algorithm.cryptoApiName(), e);
    }
  }

  private static EngineException wrong(Engine engine, SectorAlgorithm algorithm, String direction) {
    return new EngineException(
        String.format(
            "engine %s gives a wrong answer: %s with %s, key of %d bytes, sectors of %d bytes",
            engine.name(),
            direction,
            algorithm.cryptoApiName(),
            algorithm.keySize(),
            algorithm.sectorSize()));
  }

  private static byte[] ivs(SectorAlgorithm algorithm) {
    int ivSize = Ciphers.ivSize(algorithm.cipher(), algorithm.mode());
    int count = DATA / algorithm.sectorSize();
    ByteBuffer ivs = ByteBuffer.allocate(ivSize * count).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; ivSize > 0 && i < count; i++) {
      ivs.putLong(ivSize * i, FIRST_SECTOR + i * (algorithm.sectorSize() / 512L));
    }
    return ivs.array();
  }

  private static String sha256(ByteBuffer data) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(data.duplicate());
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static List<Answer> read() {
    List<Answer> answers = new ArrayList<>();
    try (InputStream in = KnownAnswers.class.getResourceAsStream(FILE);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#")) {
          String[] f = line.split("\t", -1);
          answers.add(
              new Answer(
                  new SectorAlgorithm(f[0], f[1], Integer.parseInt(f[2]), Integer.parseInt(f[3])),
                  f[4]));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("our own resource " + FILE, e);
    }
    return List.copyOf(answers);
  }
}
