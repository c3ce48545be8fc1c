package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Requirement;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tables drawn at random, against the slow reference that reproduces the kernel's own cases. */
final class RandomTablesTest {
  private static final long SEED = 20261130;
  private static final int TABLES = 24;
  private static final int BYTES = 32 * 1024;

  private final Random random = new Random(SEED);

  @TestFactory
  Stream<DynamicTest> agreesWithTheReference() throws Exception {
    Path reference = SharedFolder.file("reference/dmcrypt_reference.py");
    Path python = Requirement.tool("python3");
    Process imports =
        new ProcessBuilder(python.toString(), "-c", "import numpy, cryptography").start();
    if (imports.waitFor() != 0) {
      Requirement.missing("python3 with numpy and cryptography");
    }
    return IntStream.range(0, TABLES)
        .mapToObj(i -> draw())
        .map(
            table ->
                dynamicTest(
                    table.cipher + " seed " + SEED, () -> compare(python, reference, table)));
  }

  private record Table(
      String cipher, String key, long ivOffset, int sectorSize, boolean large, long first) {
    String line() {
      return "0 "
          + (first + BYTES / 512)
          + " crypt "
          + cipher
          + " "
          + key
          + " "
          + ivOffset
          + " DEV 0 "
          + (large ? "2 iv_large_sectors" : "1")
          + " sector_size:"
          + sectorSize;
    }

    List<String> reference(Path python, Path script) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  python.toString(),
                  script.toString(),
                  cipher,
                  key,
                  String.valueOf(ivOffset),
                  "sector_size:" + sectorSize,
                  "first:" + first));
      if (large) {
        command.add("iv_large_sectors");
      }
      return command;
    }
  }

  private Table draw() {
    String cipher = oneOf("aes", "aes", "serpent", "twofish", "camellia");
    String mode = oneOf("xts", "xts", "cbc", "cbc", "lrw", "ctr", "cfb", "ofb", "pcbc", "adiantum");
    String iv =
        oneOf(
            "plain", "plain64", "plain64be", "benbi", "null", "essiv:sha256", "eboiv", "elephant");
    if (iv.equals("benbi") && mode.matches("ctr|cfb|ofb")) {
      // The reference takes the cipher's block here, the specification (from source) the mode's.
      iv = "plain64be";
    }
    int keySize = oneOf(16, 32);
    int keyCount = oneOf(1, 1, 1, 2, 8);
    boolean counting = iv.matches("plain.*|benbi|null");
    if (mode.equals("adiantum")) {
      cipher = oneOf("xchacha12", "xchacha20") + ",aes";
      keySize = 32;
      iv = counting ? iv : "plain64";
    } else if (!counting && !mode.equals("cbc")) {
      iv = iv.startsWith("essiv") && mode.equals("xts") ? iv : "plain64be";
    }
    int total = keyCount * keySize;
    if (mode.equals("xts")) {
      total *= 2;
    } else if (mode.equals("lrw")) {
      total += keyCount * 16;
    }
    if (iv.equals("elephant")) {
      keyCount = 1;
      total = 2 * keySize;
      cipher = "aes";
    }
    byte[] key = new byte[total];
    random.nextBytes(key);
    int sectorSize = oneOf(512, 512, 1024, 2048, 4096);
    long align = sectorSize / 512;
    return new Table(
        cipher + (keyCount > 1 ? ":" + keyCount : "") + "-" + mode + "-" + iv,
        HexFormat.of().formatHex(key),
        align * random.nextInt(1 << 20) + (random.nextBoolean() ? 0xfffffff8L : 0),
        sectorSize,
        random.nextBoolean(),
        align * random.nextInt(1 << 20) + (random.nextBoolean() ? 0xfffffff8L : 0));
  }

  @SafeVarargs
  private <T> T oneOf(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private void compare(Path python, Path script, Table table) throws Exception {
    byte[] plaintext = new byte[BYTES];
    new Random(SEED).nextBytes(plaintext);
    byte[] expected = run(table.reference(python, script), plaintext);
    for (String engine : CryptFixture.engines()) {
      try (BlockDevice disk = MemoryDevice.ofSize(512 * table.first + BYTES);
          CryptFixture crypt = CryptFixture.openIfPossible(table.line(), disk, engine)) {
        if (crypt == null) {
          continue;
        }
        crypt.write(512 * table.first, plaintext);
        byte[] ciphertext = new byte[BYTES];
        disk.read(512 * table.first, ByteBuffer.wrap(ciphertext));
        assertThat(Arrays.mismatch(ciphertext, expected))
            .as("first byte that differs: %s: %s", engine, table)
            .isEqualTo(-1);
        assertThat(crypt.read(512 * table.first, BYTES)).isEqualTo(plaintext);
      }
    }
  }

  private static byte[] run(List<String> command, byte[] input)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Thread feeder =
        new Thread(
            () -> {
              try (OutputStream out = process.getOutputStream()) {
                out.write(input);
              } catch (IOException e) {
                // The process says itself what went wrong.
              }
            });
    feeder.start();
    byte[] output = process.getInputStream().readAllBytes();
    feeder.join();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    return output;
  }
}
