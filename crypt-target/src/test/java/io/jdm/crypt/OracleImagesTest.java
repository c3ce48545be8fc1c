package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.tukaani.xz.XZInputStream;
import tools.jackson.jr.ob.JSON;

/**
 * Images that the kernel wrote, decrypted with the very tables it had: plain ones, and the data of
 * LUKS volumes, whose tables the oracle tells with their keys.
 */
final class OracleImagesTest {
  private static final byte[] PATTERN = Pattern.sectors(8192);

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> cases(String kind) throws IOException {
    Path manifest = SharedFolder.file("oracle/manifest.json");
    return (List<Map<String, Object>>) JSON.std.mapFrom(Files.readAllBytes(manifest)).get(kind);
  }

  private static byte[] image(String name) throws IOException {
    try (InputStream in =
        new XZInputStream(Files.newInputStream(SharedFolder.file("oracle/" + name)))) {
      return in.readAllBytes();
    }
  }

  @TestFactory
  Stream<DynamicTest> plainImages() throws IOException {
    return cases("plain").stream()
        .filter(kernel -> exists("plain/" + kernel.get("name") + ".img.xz"))
        .map(
            kernel ->
                dynamicTest(
                    (String) kernel.get("name"),
                    () ->
                        decrypts(
                            (String) kernel.get("table"),
                            "plain/" + kernel.get("name") + ".img.xz",
                            512 * 2048)));
  }

  @TestFactory
  Stream<DynamicTest> dataOfLuksVolumes() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (Map<String, Object> volume : cases("luks")) {
      String table = (String) volume.get("kernel_table");
      String image = (String) volume.get("image");
      if (table != null && image != null && exists(image) && !table.contains(":logon:")) {
        int bytes = (int) volume.get("pattern_bytes");
        tests.add(
            dynamicTest(
                (String) volume.get("name"),
                () -> decrypts(table.substring(table.indexOf(' ') + 1), image, bytes)));
      }
    }
    return tests.stream();
  }

  private static boolean exists(String image) {
    return Files.exists(SharedFolder.file("oracle").resolve(image));
  }

  /** The pattern comes out, and goes in again as the same bytes. */
  private static void decrypts(String table, String image, int bytes) throws IOException {
    byte[] content = image(image);
    long size = Math.max(content.length, 512L * Long.parseLong(table.split(" ")[1]) * 2);
    for (String engine : CryptFixture.engines()) {
      try (BlockDevice disk = MemoryDevice.ofSize(size + (1 << 24), 512);
          CryptFixture crypt = CryptFixture.openIfPossible(table, disk, engine)) {
        if (crypt == null) {
          continue;
        }
        disk.write(0, ByteBuffer.wrap(content));
        byte[] plaintext = crypt.read(0, bytes);
        assertThat(plaintext).as(engine).isEqualTo(Arrays.copyOf(PATTERN, bytes));
        crypt.write(0, plaintext);
        byte[] again = new byte[content.length];
        disk.read(0, ByteBuffer.wrap(again));
        assertThat(again).as(engine).isEqualTo(content);
      }
    }
  }
}
