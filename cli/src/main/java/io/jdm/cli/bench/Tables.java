package io.jdm.cli.bench;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.TableLine;
import io.jdm.mapper.TableText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** The mapped devices that are measured, each over a whole file. */
final class Tables {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private Tables() {}

  /** The file itself. */
  static DeviceDefinition linear(String name, Path file, long size) {
    return definition(name, size, "linear", utf8(Arguments.quote(file.toString()) + " 0"));
  }

  /**
   * The file encrypted with a random key.
   *
   * @param sectorSize bytes of an encryption sector
   */
  static DeviceDefinition crypt(
      String name, CipherWord cipher, int keyBytes, int sectorSize, Path file, long size) {
    byte[] before = utf8(Arguments.quote(cipher.spec().text()) + " ");
    String options = sectorSize == Sectors.SIZE ? "" : " 1 sector_size:" + sectorSize;
    byte[] after = utf8(" 0 " + Arguments.quote(file.toString()) + " 0" + options);
    byte[] key = randomHex(keyBytes);
    byte[] parameters =
        ByteBuffer.allocate(before.length + key.length + after.length)
            .put(before)
            .put(key)
            .put(after)
            .array();
    Arrays.fill(key, (byte) 0);
    return definition(name, size, "crypt", parameters);
  }

  /** So many random bytes in hexadecimal, which the caller wipes. */
  static byte[] randomHex(int size) {
    byte[] hex = new byte[2 * size];
    try (KeyMaterial secret = KeyMaterial.random(size)) {
      ByteBuffer bytes = secret.exposeBuffer();
      for (int i = 0; i < size; i++) {
        hex[2 * i] = HEX[(bytes.get(i) >> 4) & 15];
        hex[2 * i + 1] = HEX[bytes.get(i) & 15];
      }
    }
    return hex;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static DeviceDefinition definition(
      String name, long size, String type, byte[] parameters) {
    TableLine line = new TableLine(0, Sectors.fromBytes(size), type, parameters);
    return DeviceDefinition.of(name, TableText.of(line));
  }
}
