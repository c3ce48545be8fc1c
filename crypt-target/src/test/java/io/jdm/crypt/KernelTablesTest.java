package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.jr.ob.JSON;

/**
 * Tables that Linux 6.1 was given, and what it made of a known plaintext: every byte, on every
 * engine that has the cipher, in one request and in many. The data is committed, so that a bare
 * clone proves this too.
 */
final class KernelTablesTest {
  private static final int SECTORS = 2048;
  private static final int IN_PIECES = 384 * 1024;
  private static final long SEED = 20261201;
  private static final byte[] PATTERN = Pattern.sectors(SECTORS);

  private static Map<String, Object> manifest() throws IOException {
    try (InputStream in =
        KernelTablesTest.class.getResourceAsStream(
            "/io/jdm/testimages/dm-crypt/kernel-plain.json")) {
      return JSON.std.mapFrom(in);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> cases(String kind) throws IOException {
    return (List<Map<String, Object>>) manifest().get(kind);
  }

  @TestFactory
  Stream<DynamicNode> everyByteIsTheKernelsOnEveryEngine() throws IOException {
    return cases("plain").stream()
        .map(
            kernel ->
                dynamicContainer(
                    (String) kernel.get("name"),
                    CryptFixture.engines().stream()
                        .map(engine -> dynamicTest(engine, () -> everyByte(kernel, engine)))));
  }

  private void everyByte(Map<String, Object> kernel, String engine) throws IOException {
    String table = (String) kernel.get("table");
    long offset = 512L * (int) kernel.get("offset");
    try (BlockDevice disk = MemoryDevice.ofSize(offset + PATTERN.length, 512);
        CryptFixture crypt = CryptFixture.openOrSkip(table, disk, engine)) {
      crypt.write(0, PATTERN);
      byte[] image = content(disk);
      assertThat(Arrays.copyOfRange(image, (int) offset, (int) offset + 32))
          .isEqualTo(HexFormat.of().parseHex((String) kernel.get("first32")));
      assertThat(Pattern.hash(image)).isEqualTo(kernel.get("image_sha256"));
      assertThat(crypt.read(0, PATTERN.length)).isEqualTo(PATTERN);

      Random random = new Random(SEED);
      int block = crypt.target().limits().logicalBlockSize();
      for (int at = 0; at < IN_PIECES; ) {
        int length = nextLength(random, block, IN_PIECES - at);
        assertThat(crypt.read(at, length))
            .as("%d bytes at %d, seed %d", length, at, SEED)
            .isEqualTo(Arrays.copyOfRange(PATTERN, at, at + length));
        at += length;
      }
      disk.writeZeroes(offset, IN_PIECES);
      for (int at = 0; at < IN_PIECES; ) {
        int length = nextLength(random, block, IN_PIECES - at);
        crypt.write(at, Arrays.copyOfRange(PATTERN, at, at + length));
        at += length;
      }
      assertThat(content(disk)).as("in pieces, seed %d", SEED).isEqualTo(image);
    }
  }

  private static byte[] content(BlockDevice disk) throws IOException {
    byte[] content = new byte[(int) disk.size()];
    disk.read(0, ByteBuffer.wrap(content));
    return content;
  }

  private static int nextLength(Random random, int block, int left) {
    return Math.min(left, block * (1 + random.nextInt(1 << random.nextInt(10))));
  }

  @TestFactory
  Stream<DynamicNode> everyTableIsDoneByAnEngine() throws IOException {
    return cases("plain").stream()
        .map(
            kernel ->
                dynamicTest(
                    (String) kernel.get("name"),
                    () -> {
                      try (BlockDevice disk = MemoryDevice.ofSize(2 << 20);
                          CryptFixture crypt =
                              CryptFixture.open((String) kernel.get("table"), disk)) {
                        assertThat(crypt.target().status()).isEmpty();
                        assertThat(line(crypt, true))
                            .isEqualTo(kernel.get("kernel_table_showkeys"));
                        assertThat(line(crypt, false)).isEqualTo(kernel.get("kernel_table"));
                      }
                    }));
  }

  private static String line(CryptFixture crypt, boolean showKeys) {
    return "0 " + SECTORS + " crypt " + crypt.target().table(showKeys).replace("DEV", "7:0");
  }

  @Test
  void whatTheKernelRefusesIsRefusedWithItsWords() throws IOException {
    for (Map<String, Object> kernel : cases("refused")) {
      TargetException e =
          catchThrowableOfType(
              TargetException.class,
              () ->
                  CryptFixture.open((String) kernel.get("table"), MemoryDevice.ofSize(2 << 20))
                      .close());
      assertThat((String) kernel.get("kernel_log"))
          .contains("crypt: " + e.reason() + " (-" + e.errno() + ")");
    }
  }
}
