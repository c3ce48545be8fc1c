package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * After {@code key wipe} no object that can be reached holds a byte of the key: not the text of the
 * table, not the key's copies, not a cipher's schedule, not an IV mode's own. The heap of another
 * process is searched, because this one knows the keys.
 */
final class WipedKeysTest {
  private static final long SEED = 20261201;

  private static final String[] CIPHERS = {
    "aes-xts-plain64 64",
    "aes-cbc-essiv:sha256 32",
    "aes-lrw-benbi 48",
    "aes:64-cbc-lmk 1040",
    "aes-cbc-tcw 64",
    "aes-cbc-elephant 64",
    "xchacha12,aes-adiantum-plain64 32",
    "aes-ctr-plain64 32"
  };

  @TempDir Path folder;

  static List<String> engines() {
    return CryptFixture.engines();
  }

  /** Bytes as characters of ISO 8859-1, which can be searched for. */
  private record Secret(String where, String bytes) {
    Secret(String where, byte[] bytes) {
      this(where, new String(bytes, StandardCharsets.ISO_8859_1));
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void nothingThatCanBeReachedHoldsTheKey(String engine) throws Exception {
    List<Secret> secrets = new ArrayList<>();
    Random random = new Random(SEED);
    int tables = 0;
    for (String cipher : CIPHERS) {
      String[] words = cipher.split(" ");
      byte[] key = new byte[Integer.parseInt(words[1])];
      random.nextBytes(key);
      addSecrets(secrets, words[0], key);
      String table =
          "0 256 crypt " + words[0] + " " + HexFormat.of().formatHex(key) + " 0 mem:1M:a 0";
      Files.writeString(folder.resolve(tables++ + ".table"), table);
    }
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "-cp",
                System.getProperty("java.class.path"),
                WipedKeysProcess.class.getName(),
                engine,
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();

    assertThat(found("keyed.hprof", secrets)).as("where a key must be found").isNotEmpty();
    assertThat(found("wiped.hprof", secrets)).as("after key wipe").isEmpty();
    assertThat(found("closed.hprof", secrets)).as("after the end").isEmpty();
  }

  private static void addSecrets(List<Secret> secrets, String cipher, byte[] key) throws Exception {
    for (int at = 0; at + 16 <= key.length; at += 16) {
      addSecret(secrets, cipher + " key byte " + at, Arrays.copyOfRange(key, at, at + 8));
    }
    if (cipher.contains("essiv")) {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(key);
      addSecret(secrets, cipher + " hash", Arrays.copyOf(hash, 8));
    }
  }

  /** As bytes, as words of a key schedule in either order, and as text. */
  private static void addSecret(List<Secret> secrets, String where, byte[] bytes) {
    secrets.add(new Secret(where, bytes));
    ByteBuffer words = ByteBuffer.wrap(bytes);
    ByteBuffer swapped = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
    secrets.add(
        new Secret(
            where + " as words", swapped.putInt(words.getInt(0)).putInt(words.getInt(4)).array()));
    secrets.add(
        new Secret(
            where + " as text",
            HexFormat.of().formatHex(bytes).getBytes(StandardCharsets.US_ASCII)));
  }

  private List<String> found(String dump, List<Secret> secrets) throws IOException {
    String heap = Files.readString(folder.resolve(dump), StandardCharsets.ISO_8859_1);
    return secrets.stream()
        .filter(secret -> heap.contains(secret.bytes))
        .map(Secret::where)
        .toList();
  }
}
