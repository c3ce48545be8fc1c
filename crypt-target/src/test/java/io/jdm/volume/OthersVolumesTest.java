package io.jdm.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.BlockDevice;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.MapperException;
import io.jdm.testing.SharedFolder;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.luks2.Luks2Volume;
import io.jdm.volume.plain.PlainVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Volumes of cryptsetup's own tests, of qemu-img, and made for the shared folder. */
final class OthersVolumesTest {
  private static final String CRYPTSETUP = "images/cryptsetup/";
  private static final String GENERATED = "images/generated-cryptsetup-2.6.1/";

  private final Map<String, Map<String, byte[]>> archives = new HashMap<>();

  /** A row of expected.tsv. */
  private record Row(
      String file, String member, String format, String unlock, String size, String sha256) {
    String passphrase() {
      return unlock.replaceFirst("passphrase=", "").split(" ")[0];
    }
  }

  private static Stream<Row> rows() throws IOException {
    return Files.readAllLines(SharedFolder.file("images/expected.tsv")).stream()
        .skip(1)
        .map(line -> line.split("\t", -1))
        .filter(fields -> !fields[5].isEmpty())
        .map(f -> new Row("images/" + f[0], f[1], f[2], f[3], f[4], f[5]));
  }

  private byte[] member(String archive, String member) throws IOException {
    Map<String, byte[]> members = archives.get(archive);
    if (members == null) {
      members = Images.untar(archive);
      archives.put(archive, members);
    }
    return members.get(member);
  }

  private byte[] image(Row row) throws IOException {
    return row.member.equals("-") ? Images.read(row.file) : member(row.file, row.member);
  }

  @TestFactory
  Stream<DynamicTest> everyLuksRowOfTheTableOfExpectations() throws IOException {
    List<DynamicTest> tests =
        rows()
            .filter(row -> row.format.startsWith("LUKS"))
            .map(row -> dynamicTest(row.file + " " + row.member, () -> opensAsExpected(row)))
            .toList();
    assertThat(tests).hasSizeGreaterThan(25);
    return tests.stream();
  }

  private void opensAsExpected(Row row) throws IOException {
    byte[] image = image(row);
    byte[] passphrase =
        row.unlock.startsWith("keyfile=")
            ? member(row.file, "luks1-images/keyfile1")
            : row.passphrase().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    try (UnlockedVolume volume = unlock(image, Images.passphrase(passphrase), -1)) {
      int length = Integer.parseInt(row.size.split(" ")[0]);
      assertThat(Images.sha256(Images.plaintext(volume, image, length))).isEqualTo(row.sha256);
    }
  }

  private static UnlockedVolume unlock(byte[] header, KeySource key, int keyslot)
      throws IOException {
    try (BlockDevice device = Images.device(header);
        key) {
      return Volumes.read(device).unlock(key, UnlockOptions.DEFAULTS.withKeyslot(keyslot));
    }
  }

  @TestFactory
  Stream<DynamicTest> everyPlainRowOfTheTableOfExpectations() throws IOException {
    return rows()
        .filter(row -> row.format.startsWith("plain"))
        .map(row -> dynamicTest(row.file, () -> opensPlain(row)));
  }

  /** {@code plain aes-xts-plain64_sha256_256_ss4096}: cipher, hash, bits of the key. */
  private void opensPlain(Row row) throws IOException {
    String[] words = row.format.split(" ")[1].split("_");
    PlainVolume plain =
        new PlainVolume(
            words[0].replace("essiv-", "essiv:"),
            Integer.parseInt(words[2]) / 8,
            0,
            0,
            Segment.REST,
            words.length > 3 ? 4096 : 512,
            false);
    byte[] image = image(row);
    try (KeySource key = Images.passphrase(row.passphrase());
        UnlockedVolume volume = plain.unlock(plain.hash(key.secret(), words[1]))) {
      assertThat(Images.sha256(Images.plaintext(volume, image, Integer.parseInt(row.size))))
          .isEqualTo(row.sha256);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "keyslot_overlap",
        "luks_hdr_damage",
        "payload_overwrite",
        "small_luks_device",
        "stripes_payload_dmg"
      })
  void refusesDamagedLuks1Headers(String name) throws IOException {
    byte[] image = Images.read(CRYPTSETUP + "evil_hdr-" + name + ".xz");
    assertThatThrownBy(() -> unlock(image, Images.passphrase("x"), -1))
        .isInstanceOfSatisfying(
            VolumeException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(Reason.DAMAGED);
              assertThat(e.field()).isNotEmpty();
            });
  }

  @Test
  void readsTheGoodOneBesideThem() throws IOException {
    try (BlockDevice device = Images.device(Images.read(CRYPTSETUP + "valid_header_file.xz"))) {
      assertThat(Volumes.read(device, "luks1").format()).isEqualTo("LUKS1");
    }
  }

  /** The passphrase can be tried, but nothing is activated (C13). */
  @Test
  void unknownRequirementsBlockActivationOnly() throws IOException {
    Map<String, byte[]> members = Images.untar(CRYPTSETUP + "luks2_header_requirements.tar.xz");
    byte[] image =
        members.entrySet().stream()
            .filter(e -> e.getKey().endsWith("luks2_header_requirements"))
            .findFirst()
            .orElseThrow()
            .getValue();
    try (BlockDevice device = Images.device(image);
        KeySource key = Images.passphrase("blablabl")) {
      Luks2Volume volume = (Luks2Volume) Volumes.read(device);
      assertThat(volume.requirements()).containsExactly("req0", "req1");
      volume.verify(key, UnlockOptions.DEFAULTS).close();
      assertThatThrownBy(() -> volume.unlock(key, UnlockOptions.DEFAULTS))
          .hasMessageContaining("req0, req1");
    }
  }

  @Test
  void anUnboundKeyslotVerifiesButNeverActivates() throws IOException {
    byte[] image = Images.read(CRYPTSETUP + "luks2_keyslot_unassigned.img.xz");
    try (BlockDevice device = Images.device(image);
        KeySource key = Images.passphrase("93R4P4pIqAH8")) {
      Volume volume = Volumes.read(device);
      try (VolumeKey found = volume.verify(key, UnlockOptions.DEFAULTS)) {
        assertThat(found.keyslot()).isEqualTo(1);
      }
      assertThatThrownBy(() -> volume.unlock(key, UnlockOptions.DEFAULTS))
          .hasMessage("No key available with this passphrase.");
      assertThatThrownBy(() -> volume.unlock(key, UnlockOptions.DEFAULTS.withKeyslot(1)))
          .hasMessage("No usable keyslot is available.");
    }
  }

  @Test
  void anUnsupportedCipherIsToldAsSuch() throws IOException {
    byte[] image = Images.read(CRYPTSETUP + "luks2_invalid_cipher.img.xz");
    try (UnlockedVolume volume = unlock(image, Images.passphrase("93R4P4pIqAH8"), -1)) {
      assertThatThrownBy(() -> Images.plaintext(volume, image, 512))
          .isInstanceOf(MapperException.class)
          .satisfies(e -> assertThat(((MapperException) e).explanation()).contains("aes-generic"));
    }
  }

  /** C01 to C03: bytes, not characters; nothing is stripped, nothing cut. */
  @Test
  void keyFilesAreTakenByteForByte() throws IOException {
    byte[] image = Images.read(GENERATED + "luks2_multislot_keyfiles.img.xz");
    try (BlockDevice device = Images.device(image)) {
      Volume volume = Volumes.read(device);
      assertThat(keyslot(volume, "kf_utf8", 0, KeySource.WHOLE)).isZero();
      assertThat(keyslot(volume, "kf_nl", 0, KeySource.WHOLE)).isEqualTo(1);
      assertThatThrownBy(() -> keyslot(volume, "kf_nl", 0, 11)).isInstanceOf(VolumeException.class);
      assertThatThrownBy(() -> keyslot(volume, "kf_utf8", 1, KeySource.WHOLE))
          .isInstanceOf(VolumeException.class);
      assertThatThrownBy(() -> keyslot(volume, "kf_nl", 0, 13))
          .hasMessage("Cannot read requested amount of data.");
      try (KeySource offset = Images.passphrase("offsetkey");
          VolumeKey found = volume.verify(offset, UnlockOptions.DEFAULTS)) {
        assertThat(found.keyslot()).isEqualTo(2);
      }
    }
  }

  private static int keyslot(Volume volume, String file, long offset, long size)
      throws IOException {
    try (KeySource key = KeySource.keyFile(SharedFolder.file(GENERATED + file), offset, size);
        VolumeKey found = volume.verify(key, UnlockOptions.DEFAULTS)) {
      return found.keyslot();
    }
  }

  @Test
  void aDetachedHeaderOpensDataThatHasNone() throws IOException {
    byte[] header = Images.read(GENERATED + "luks2_detached_512.hdr.xz");
    byte[] data = Images.read(GENERATED + "luks2_detached_512.data.img.xz");
    byte[] plain = Images.read(GENERATED + "plain1m.bin.xz");
    try (UnlockedVolume volume = unlock(header, Images.passphrase("secret"), -1)) {
      assertThat(Images.plaintext(volume, data, plain.length)).isEqualTo(plain);
    }
  }

  @Test
  void theVolumeKeyItselfOpensToo() throws IOException {
    byte[] image = Images.read(GENERATED + "luks2_small_ok.img.xz");
    byte[] key;
    try (BlockDevice device = Images.device(image);
        KeySource passphrase = Images.passphrase("secret");
        VolumeKey found = Volumes.read(device).verify(passphrase, UnlockOptions.DEFAULTS)) {
      key = found.key().exposeBytes();
    }
    try (UnlockedVolume volume = unlock(image, KeySource.volumeKey(KeyMaterial.copyOf(key)), -1)) {
      assertThat(volume.keyslot()).isEqualTo(-1);
      assertThat(Images.sha256(Images.plaintext(volume, image, 524288)))
          .isEqualTo("c011b26d3cb0758039482a2a64e672e34634ab931be44619b7fa94d77e035dc5");
    }
    key[3] ^= 1;
    assertThatThrownBy(() -> unlock(image, KeySource.volumeKey(KeyMaterial.copyOf(key)), -1))
        .hasMessage("Volume key does not match the volume.");
  }

  /** C26 and C27. */
  @Test
  void aCutImageOpensAsFarAsItGoes() throws IOException {
    byte[] image = Images.read(GENERATED + "luks2_small_ok.img.xz");
    try (UnlockedVolume volume = unlock(image, Images.passphrase("secret"), -1)) {
      int start = (int) volume.segments().get(0).offset();
      byte[] cut = Arrays.copyOf(image, start + 4096 + 700);
      assertThat(Images.plaintext(volume, cut, -1))
          .hasSize(4096 + 512)
          .isEqualTo(Images.plaintext(volume, image, 4096 + 512));
      assertThatThrownBy(() -> volume.table("x", start))
          .isInstanceOf(VolumeException.class)
          .hasMessageContaining("the data device ends at byte " + start);
    }
    byte[] headerOnly = Arrays.copyOf(image, 40000);
    assertThatThrownBy(() -> unlock(headerOnly, Images.passphrase("secret"), -1))
        .hasMessageContaining("the area of keyslot 0 ends at byte")
        .hasMessageContaining("the device at 40000");
  }
}
