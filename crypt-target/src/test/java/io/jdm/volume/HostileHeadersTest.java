package io.jdm.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.SliceDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.crypt.kdf.Digests;
import io.jdm.volume.VolumeException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Headers that somebody made to hurt: whatever they say, reading them ends in a volume or in a
 * {@link VolumeException}, and no key is derived before.
 */
final class HostileHeadersTest {
  private static final int LUKS1_HEADER = 592;
  private static final int HEADER = 0x4000;
  private static final int JSON = 4096;
  private static final int CHECKSUM = 448;
  private static final int FLIPS = 100_000;

  private static byte[] luks1;
  private static byte[] luks2;

  @BeforeAll
  static void read() throws IOException {
    luks1 = Images.read("images/generated-qemu-img-7.2/qemu_aes-256-xts-plain64-sha256.img.xz");
    luks2 = Images.read("images/generated-cryptsetup-2.6.1/luks2_small_ok.img.xz");
  }

  /** Reads a header; true if it is a volume. Anything but a VolumeException fails the test. */
  private static boolean isVolume(byte[] image) throws IOException {
    try (BlockDevice device = Images.device(image)) {
      return isVolume(device);
    }
  }

  private static boolean isVolume(BlockDevice device) throws IOException {
    try {
      Volumes.probe(device);
      return !Volumes.read(device).format().isEmpty();
    } catch (VolumeException e) {
      assertThat(e.getMessage()).isNotEmpty();
      return false;
    }
  }

  /** Puts the right checksum on the first copy, and takes the second away. */
  private static byte[] sealed(byte[] image) {
    byte[] header = Arrays.copyOf(image, HEADER);
    Arrays.fill(header, CHECKSUM, CHECKSUM + 64, (byte) 0);
    MessageDigest sha256 = Digests.create("sha256");
    byte[] sum = sha256.digest(header);
    System.arraycopy(sum, 0, image, CHECKSUM, sum.length);
    Arrays.fill(image, HEADER, HEADER + 8, (byte) 0);
    return image;
  }

  private static byte[] withJson(String json) {
    byte[] image = Arrays.copyOf(luks2, 1 << 20);
    Arrays.fill(image, JSON, HEADER, (byte) 0);
    byte[] text = json.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(text, 0, image, JSON, Math.min(text.length, HEADER - JSON));
    return sealed(image);
  }

  private static String json() {
    return new String(luks2, JSON, HEADER - JSON, StandardCharsets.UTF_8).replace("\0", "");
  }

  @Test
  void theHeadersThatAreChangedAreGoodOnes() throws IOException {
    assertThat(isVolume(luks1)).isTrue();
    assertThat(isVolume(luks2)).isTrue();
    assertThat(isVolume(withJson(json()))).isTrue();
  }

  @Test
  void truncationAtEveryByte() throws IOException {
    for (byte[] image : List.of(luks1, luks2)) {
      try (BlockDevice device = Images.device(image)) {
        for (int length = 0; length < 1 << 16; length += length < 4096 ? 1 : 509) {
          assertThat(isVolume(SliceDevice.of(device, 0, length)))
              .as("cut after %d bytes", length)
              .isEqualTo(image == luks2 && length >= HEADER);
        }
      }
    }
  }

  @Test
  void everyByteOfTheBinaryHeadersAtItsEdges() throws IOException {
    try (MemoryDevice first = memory(luks1, 1 << 19);
        MemoryDevice second = memory(luks2, 1 << 16)) {
      for (int value : new int[] {0, 1, 0x7f, 0x80, 0xff}) {
        for (int i = 0; i < LUKS1_HEADER; i++) {
          byte[] changed = Arrays.copyOf(luks1, LUKS1_HEADER);
          changed[i] = (byte) value;
          first.write(0, ByteBuffer.wrap(changed));
          isVolume(first);
        }
        for (int i = 0; i < CHECKSUM; i++) {
          byte[] changed = Arrays.copyOf(luks2, HEADER + 8);
          changed[i] = (byte) value;
          second.write(0, ByteBuffer.wrap(sealed(changed)));
          isVolume(second);
        }
      }
    }
  }

  @Test
  void randomFlips() throws IOException {
    Random random = new Random(4);
    int volumes = 0;
    int jsonEnd = JSON + json().length();
    try (MemoryDevice first = memory(luks1, 1 << 19);
        MemoryDevice second = memory(luks2, 1 << 16)) {
      for (int i = 0; i < FLIPS; i++) {
        boolean old = i % 2 == 0;
        byte[] image = Arrays.copyOf(old ? luks1 : luks2, old ? LUKS1_HEADER : HEADER + 8);
        int range = old ? LUKS1_HEADER : jsonEnd;
        for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
          image[random.nextInt(range)] ^= (byte) (1 << random.nextInt(8));
        }
        MemoryDevice device = old ? first : second;
        device.write(0, ByteBuffer.wrap(old ? image : sealed(image)));
        volumes += read(device) ? 1 : 0;
      }
    }
    assertThat(volumes).as("those where nothing that matters was flipped").isPositive();
  }

  private static MemoryDevice memory(byte[] image, int size) throws IOException {
    MemoryDevice device = MemoryDevice.ofSize(size);
    device.write(0, ByteBuffer.wrap(image, 0, size));
    return device;
  }

  private static boolean read(BlockDevice device) throws IOException {
    try {
      Volumes.read(device);
      return true;
    } catch (VolumeException e) {
      return false;
    }
  }

  /** Each text is found in the metadata once and replaced. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"offset\":\"32768\"|\"offset\":\"0\"|keyslots.0.area.offset",
        "\"offset\":\"32768\"|\"offset\":\"9223372036854775807\"|keyslots.0.area.size",
        "\"offset\":\"32768\"|\"offset\":\"18446744073709551615\"|keyslots.0.area.offset",
        "\"offset\":\"32768\"|\"offset\":32768|keyslots.0.area.offset",
        "\"offset\":\"32768\"|\"offset\":\"-32768\"|keyslots.0.area.offset",
        "\"stripes\":4000|\"stripes\":2147483647|keyslots.0.af.stripes",
        "\"stripes\":4000|\"stripes\":0|keyslots.0.af.stripes",
        "\"stripes\":4000|\"stripes\":4000.0|keyslots.0.af.stripes",
        "\"json_size\":\"12288\"|\"json_size\":\"12289\"|config.json_size",
        "\"size\":\"dynamic\"|\"size\":\"513\"|segments.0.size",
        "\"size\":\"dynamic\"|\"size\":\"0\"|segments.0.size",
        "\"size\":\"dynamic\"|\"size\":\"9223372036854775296\"|segments.0.size",
        "\"iv_tweak\":\"0\"|\"iv_tweak\":\"x\"|segments.0.iv_tweak",
        "\"sector_size\":512|\"sector_size\":513|segments.0.sector_size",
        "\"sector_size\":512|\"sector_size\":8192|segments.0.sector_size",
        "\"sector_size\":512|\"sector_size\":null|segments.0.sector_size",
        "\"iterations\":1000,\"salt\"|\"iterations\":0,\"salt\"|iterations",
        "\"tokens\":{}|\"tokens\":[]|tokens",
        "\"tokens\":{}|\"tokens\":{\"0\":{\"type\":\"t\",\"keyslots\":[\"7\"]}}|tokens.0.keyslots",
        "\"tokens\":{}|\"tokens\":{\"32\":{\"type\":\"t\",\"keyslots\":[]}}|tokens.32",
        "\"tokens\":{}|\"tokens\":{\"00\":{\"type\":\"t\",\"keyslots\":[]}}|tokens.00",
        "\"segments\":[\"0\"]|\"segments\":[]|digests",
        "\"segments\":[\"0\"]|\"segments\":[\"0\",\"0\"]|digests.0.segments",
        "\"segments\":[\"0\"]|\"segments\":[\"1\"]|digests.0.segments",
        "\"keyslots\":[\"0\"]|\"keyslots\":[\"9\"]|digests.0.keyslots",
      })
  void fieldsThatCannotBe(String text, String replacement, String field) throws IOException {
    String json = json();
    assertThat(json).contains(text);
    byte[] image = withJson(json.replaceFirst(java.util.regex.Pattern.quote(text), replacement));
    try (BlockDevice device = Images.device(image)) {
      assertThatThrownBy(() -> Volumes.read(device))
          .isInstanceOfSatisfying(
              VolumeException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(Reason.DAMAGED);
                assertThat(e.field()).contains(field);
                assertThat(e.format()).isEqualTo("LUKS2");
                assertThat(e.offset()).isEqualTo(JSON);
                assertThat(e.getMessage()).contains(e.field()).contains("expected");
              });
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{}{}",
        " {}",
        "{\"a\":1,\"a\":2}",
        "{\"config\":{},\"config\":{}}",
        "{\"a\":1e999999999}",
        "{\"a\":123456789012345678901234567890}",
        "{'a':1}",
        "{\"a\":NaN}",
        "{\"a\":\"\\u0000\"}",
        "{/**/}"
      })
  void jsonThatIsNone(String json) throws IOException {
    assertThat(isVolume(withJson(json))).isFalse();
  }

  @Test
  void jsonThatIsDeepOrLarge() throws IOException {
    List<String> bombs = new ArrayList<>();
    bombs.add("{\"a\":" + "[".repeat(11000));
    bombs.add("{\"a\":" + "[".repeat(5000) + "]".repeat(5000) + "}");
    bombs.add("{\"a\":[" + "{},".repeat(3000) + "{}]}");
    bombs.add("{" + "\"a\":".repeat(2000));
    for (String bomb : bombs) {
      assertThat(isVolume(withJson(bomb))).isFalse();
    }
    byte[] large = new byte[0x400000 * 2];
    System.arraycopy(luks2, 0, large, 0, JSON);
    ByteBuffer.wrap(large).putLong(8, 0x400000);
    byte[] text = ("{\"a\":[" + "[],".repeat(1_300_000)).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, large, JSON, text.length);
    Arrays.fill(large, CHECKSUM, CHECKSUM + 64, (byte) 0);
    byte[] sum = Digests.create("sha256").digest(Arrays.copyOf(large, 0x400000));
    System.arraycopy(sum, 0, large, CHECKSUM, sum.length);
    assertThatThrownBy(() -> Volumes.read(Images.device(large)))
        .isInstanceOf(VolumeException.class)
        .hasMessageContaining("JSON area")
        .hasMessageContaining("Token count");
  }

  /** C15: whoever can write the header could take the encryption away. */
  @Test
  void nullCiphersNeverOpenUnasked() throws IOException {
    String segment =
        json()
            .replaceFirst(
                "(\"iv_tweak\":\"0\",\"encryption\":)\"[^\"]*\"", "$1\"cipher_null-ecb\"");
    String keyslot =
        json()
            .replaceFirst("(\"area\":\\{[^}]*\"encryption\":)\"[^\"]*\"", "$1\"cipher_null-ecb\"");
    assertThat(segment).isNotEqualTo(json());
    assertThat(keyslot).isNotEqualTo(json()).isNotEqualTo(segment);
    for (String json : List.of(segment, keyslot)) {
      try (BlockDevice device = Images.device(withJson(json));
          KeySource key = Images.passphrase("secret")) {
        Volume volume = Volumes.read(device);
        assertThatThrownBy(() -> volume.unlock(key, UnlockOptions.DEFAULTS))
            .isInstanceOfSatisfying(
                VolumeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED));
      }
    }
  }

  @Test
  void costsThatNobodyHasAreToldBeforeAnyDerivation() throws IOException {
    String giant =
        json()
            .replaceFirst(
                "\"kdf\":\\{[^}]*\\}",
                "\"kdf\":{\"type\":\"argon2id\",\"time\":4,\"memory\":2147483647,\"cpus\":4,"
                    + "\"salt\":\""
                    + "A".repeat(43)
                    + "=\"}");
    try (BlockDevice device = Images.device(withJson(giant));
        KeySource key = Images.passphrase("secret")) {
      assertThatThrownBy(() -> Volumes.read(device).unlock(key, UnlockOptions.DEFAULTS))
          .isInstanceOf(io.jdm.crypt.kdf.KdfMemoryException.class)
          .hasMessageContaining("needs 2097152 MiB");
    }
  }
}
