package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.jr.ob.JSON;

/** Vectors of others: of the specification's own implementation, and of cryptsetup's tests. */
final class PublishedVectorsTest {
  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> list(Path file, String name) throws IOException {
    return (List<Map<String, Object>>) JSON.std.mapFrom(Files.readAllBytes(file)).get(name);
  }

  @TestFactory
  Stream<DynamicTest> sectorsOfTheSpecification() throws IOException {
    List<Map<String, Object>> vectors =
        list(SharedFolder.file("spec/dm-crypt-vectors.json"), "vectors");
    return IntStream.range(0, vectors.size())
        .mapToObj(
            i -> dynamicTest(i + " " + vectors.get(i).get("cipher"), () -> sector(vectors.get(i))));
  }

  private static void sector(Map<String, Object> vector) throws IOException {
    long sector = ((Number) vector.get("sector_in_target")).longValue();
    int size = (int) vector.get("sector_size");
    boolean large = (boolean) vector.get("iv_large_sectors");
    String table =
        "0 "
            + (sector + size / 512)
            + " crypt "
            + vector.get("cipher")
            + " "
            + vector.get("key_hex")
            + " "
            + vector.get("iv_offset")
            + " DEV 0"
            + (large ? " 2 iv_large_sectors" : " 1")
            + " sector_size:"
            + size;
    byte[] plaintext = plaintext((String) vector.get("plaintext"));
    int proven = 0;
    for (String engine : CryptFixture.engines()) {
      try (BlockDevice disk = MemoryDevice.ofSize(512 * sector + size);
          CryptFixture crypt = CryptFixture.openIfPossible(table, disk, engine)) {
        if (crypt == null) {
          continue;
        }
        proven++;
        crypt.write(512 * sector, plaintext);
        byte[] ciphertext = new byte[size];
        disk.read(512 * sector, ByteBuffer.wrap(ciphertext));
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(ciphertext, 0, 16)).isEqualTo(vector.get("ct_first16"));
        assertThat(hex.formatHex(ciphertext, size - 16, size)).isEqualTo(vector.get("ct_last16"));
        assertThat(Pattern.hash(ciphertext)).isEqualTo(vector.get("ct_sha256"));
        assertThat(crypt.read(512 * sector, size)).isEqualTo(plaintext);
      }
    }
    assertThat(proven).as("engines").isPositive();
  }

  private static byte[] plaintext(String name) {
    byte[] plaintext = new byte[name.equals("P512") ? 512 : 4096];
    for (int i = 0; i < plaintext.length; i++) {
      plaintext[i] = (byte) (7 * i + (i >> 8) * (plaintext.length == 512 ? 0 : 1) + 3);
    }
    return plaintext;
  }

  @TestFactory
  Stream<DynamicTest> sectorIvsOfCryptsetup() throws IOException {
    List<Map<String, Object>> vectors =
        list(SharedFolder.file("images/cryptsetup/crypto-vectors.json"), "cipher_iv");
    return vectors.stream()
        .map(
            vector ->
                dynamicTest(
                    vector.get("iv")
                        + " "
                        + vector.get("sector_size")
                        + (vector.get("large_iv").equals(true) ? " large" : ""),
                    () -> sectorIvs(vector)));
  }

  private static void sectorIvs(Map<String, Object> vector) throws IOException {
    int length = (int) vector.get("data_length");
    boolean large = (boolean) vector.get("large_iv");
    String table =
        "0 "
            + length / 512
            + " crypt "
            + String.join(
                "-",
                (String) vector.get("cipher"),
                (String) vector.get("mode"),
                (String) vector.get("iv"))
            + " "
            + vector.get("key")
            + " "
            + vector.get("iv_offset")
            + " DEV 0"
            + (large ? " 2 iv_large_sectors" : " 1")
            + " sector_size:"
            + vector.get("sector_size");
    byte[] zeros = new byte[length];
    assertThat(Pattern.hash(zeros)).isEqualTo(vector.get("in_sha256"));
    int proven = 0;
    for (String engine : CryptFixture.engines()) {
      try (BlockDevice disk = MemoryDevice.ofSize(length);
          CryptFixture crypt = CryptFixture.openIfPossible(table, disk, engine)) {
        if (crypt == null) {
          continue;
        }
        proven++;
        crypt.write(0, zeros);
        byte[] ciphertext = new byte[length];
        disk.read(0, ByteBuffer.wrap(ciphertext));
        assertThat(Pattern.hash(ciphertext)).isEqualTo(vector.get("out_sha256"));
        assertThat(crypt.read(0, length)).isEqualTo(zeros);
      }
    }
    assertThat(proven).as("engines").isPositive();
  }
}
