package io.jdm.crypt.iv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.mapper.TargetException;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.jr.ob.JSON;

/**
 * The modes' names, how they split keys, and their IVs as the specification's vectors have them.
 */
final class IvTypesTest {
  @Test
  void anUnknownModeIsToldWhichExist() {
    TargetException e =
        catchThrowableOfType(TargetException.class, () -> IvTypes.byName("plain64-x"));
    assertThat(e.reason()).isEqualTo("Invalid IV mode");
    assertThat(e)
        .hasMessageContaining("plain64-x")
        .hasMessageContaining(
            "essiv, plain, plain64, plain64be, benbi, null, eboiv, elephant, lmk");
  }

  @ParameterizedTest
  @CsvSource({
    "plain64,  16, 32,     1,  32, 32,   0",
    "plain64,  16, 65,     4,  16, 65,   0",
    "lmk,      16, 1024,   64, 16, 1024, 0",
    "lmk,      16, 1040,   64, 16, 1024, 16",
    "lmk,      16, 2080,   64, 32, 2048, 32",
    "lmk,      16, 2111,   64, 32, 2048, 32",
    "lmk,      16, 32,     1,  32, 32,   0",
    "lmk,      16, 32,     64, 0,  0,    0",
    "tcw,      16, 64,     1,  32, 32,   32",
    "tcw,      8,  56,     1,  32, 32,   24",
    "elephant, 16, 32,     1,  16, 16,   16",
    "elephant, 16, 64,     1,  32, 32,   32",
    "elephant, 16, 33,     1,  17, 17,   16",
  })
  void splitsTheKeyAsTheKernelDoes(
      String name, int ivSize, int keySize, int keyCount, int subKey, int offset, int extra)
      throws TargetException {
    IvGeometry geometry = new IvGeometry("aes", "cbc", ivSize, ivSize, 512, keySize, keyCount);
    assertThat(IvTypes.byName(name).layout(geometry))
        .isEqualTo(new KeyLayout(subKey, offset, extra));
  }

  /** Version 2 equals an ordinary MD5 whose own padding stands in the sector's place. */
  @Test
  void lmkWithoutSeedIsAnOrdinaryHash() throws Exception {
    byte[] data = new byte[512];
    new Random(5).nextBytes(data);
    long sector = 0xab_cdef_0123_4567L;
    MessageDigest md5 = MessageDigest.getInstance("MD5");
    md5.update(data, 16, 496);
    for (int i = 0; i < 7; i++) {
      md5.update((byte) (sector >>> (8 * i)));
    }
    byte[] iv = new byte[16];
    try (IvMode lmk = TestKeys.open("aes-cbc-lmk", new byte[16], 512, 0)) {
      lmk.beforeEncrypt(sector, ByteBuffer.wrap(data), 0, iv, 0);
    }
    assertThat(iv).isEqualTo(md5.digest());
  }

  @TestFactory
  @SuppressWarnings("unchecked")
  Stream<DynamicTest> ivsOfTheSpecification() throws IOException {
    List<Map<String, Object>> vectors =
        (List<Map<String, Object>>)
            JSON.std
                .mapFrom(Files.readAllBytes(SharedFolder.file("spec/dm-crypt-vectors.json")))
                .get("vectors");
    return IntStream.range(0, vectors.size())
        .filter(i -> vectors.get(i).get("iv_hex") != null)
        .mapToObj(
            i -> dynamicTest(i + " " + vectors.get(i).get("cipher"), () -> iv(vectors.get(i))));
  }

  private static void iv(Map<String, Object> vector) throws IOException {
    int sectorSize = (int) vector.get("sector_size");
    long sector =
        ((Number) vector.get("sector_in_target")).longValue()
            + ((Number) vector.get("iv_offset")).longValue();
    boolean large = (boolean) vector.get("iv_large_sectors");
    long ivSector = large ? sector / (sectorSize / 512) : sector;
    byte[] key = HexFormat.of().parseHex((String) vector.get("key_hex"));
    byte[] expected = HexFormat.of().parseHex((String) vector.get("iv_hex"));
    byte[] iv = new byte[expected.length];
    ByteBuffer data = ByteBuffer.allocate(sectorSize);
    for (int i = 0; i < sectorSize; i++) {
      data.put(i, (byte) (7 * i + (sectorSize > 512 ? i >> 8 : 0) + 3));
    }
    try (IvMode mode = TestKeys.open((String) vector.get("cipher"), key, sectorSize, sector)) {
      mode.fill(ivSector, 1, 1, iv);
      mode.beforeEncrypt(ivSector, data, 0, iv, 0);
    }
    assertThat(iv).isEqualTo(expected);
  }
}
