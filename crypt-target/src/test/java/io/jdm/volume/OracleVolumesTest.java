package io.jdm.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.BlockDevice;
import io.jdm.mapper.TableText;
import io.jdm.testing.SharedFolder;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.luks2.Luks2Volume;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Volumes that the real cryptsetup and qemu-img made and the real kernel filled: the table is the
 * kernel's, key and all, and the data is what was written.
 */
final class OracleVolumesTest {
  /** What cryptsetup does not open either. */
  private static final Map<String, Reason> FAILURES =
      Map.of(
          "l1-cipher_null-ecb-256", Reason.WRONG_KEY,
          "l2-bad-both", Reason.DAMAGED,
          "l2-empty-erased", Reason.NO_KEYSLOT);

  /** SHA-256 of the first MiB of the oracle's pattern. */
  private static final String WHOLE_PATTERN =
      "58f4ac927adaf819f65ed3e6cf7093dd3a5202541df489b34c70c7df7f7b4e79";

  @TestFactory
  Stream<DynamicTest> volumesOfCryptsetup() throws IOException {
    return cases("luks", "image").map(c -> dynamicTest((String) c.get("name"), () -> opens(c)));
  }

  @TestFactory
  Stream<DynamicTest> volumesOfQemu() throws IOException {
    return cases("qemu_luks1", "image")
        .map(
            c ->
                dynamicTest(
                    (String) c.get("name"),
                    () -> {
                      byte[] image = Images.read("oracle/" + c.get("image"));
                      try (UnlockedVolume volume = unlock(image, Images.oraclePassphrase("pw"))) {
                        isTheData(c, volume, image, (int) c.getOrDefault("pattern_bytes", 1 << 20));
                      }
                    }));
  }

  @TestFactory
  Stream<DynamicTest> volumesInTheMiddleOfReencryption() throws IOException {
    return cases("luks_reencrypting", "image")
        .map(c -> dynamicTest((String) c.get("name"), () -> opensAsCryptsetupDid(c)));
  }

  private static Stream<Map<String, Object>> cases(String section, String file) throws IOException {
    return Images.manifest(section).stream()
        .filter(c -> c.get(file) != null)
        .filter(c -> Files.exists(SharedFolder.file("oracle").resolve((String) c.get(file))));
  }

  private static byte[] header(Map<String, Object> c, byte[] image) throws IOException {
    String file = "oracle/" + ((String) c.get("image")).replace(".img.xz", ".hdr.xz");
    return Files.exists(SharedFolder.file("oracle").resolveSibling(file))
        ? Images.read(file)
        : image;
  }

  private static void opens(Map<String, Object> c) throws IOException {
    byte[] image = Images.read("oracle/" + c.get("image"));
    String name = (String) c.get("name");
    String arguments = c.get("open_args") == null ? "open -d pw" : (String) c.get("open_args");
    String passphrase = Images.oraclePassphrase(arguments.split(" ")[2]);
    Reason failure = FAILURES.get(name);
    if (failure != null) {
      assertThatThrownBy(() -> unlock(image, passphrase))
          .isInstanceOfSatisfying(
              VolumeException.class, e -> assertThat(e.reason()).isEqualTo(failure));
      return;
    }
    try (UnlockedVolume volume = unlock(header(c, image), passphrase)) {
      isTheData(c, volume, image, (int) c.get("pattern_bytes"));
      String table = (String) c.get("kernel_table");
      if (table != null && !table.contains(":logon:")) {
        assertThat(table(volume, Long.parseLong(table.split(" ")[2])))
            .isEqualTo(List.of(table.substring(table.indexOf(' ') + 1)));
      }
    }
  }

  private static UnlockedVolume unlock(byte[] header, String passphrase) throws IOException {
    try (BlockDevice device = Images.device(header);
        KeySource key = Images.passphrase(passphrase)) {
      return Volumes.read(device).unlock(key, UnlockOptions.DEFAULTS.withNullCipher(true));
    }
  }

  private static void isTheData(
      Map<String, Object> c, UnlockedVolume volume, byte[] image, int length) throws IOException {
    assertThat(Images.sha256(Images.plaintext(volume, image, length)))
        .isEqualTo(c.getOrDefault("plaintext_sha256", WHOLE_PATTERN));
  }

  /** The table's lines, for a device that the kernel called 7:0. */
  private static List<String> table(UnlockedVolume volume, long sectors) throws IOException {
    Segment last = volume.segments().get(volume.segments().size() - 1);
    long before =
        volume.segments().stream()
            .limit(volume.segments().size() - 1)
            .mapToLong(Segment::length)
            .sum();
    try (TableText table = volume.table("7:0", last.offset() + 512 * sectors - before)) {
      return table.lines().stream()
          .map(
              line ->
                  line.start()
                      + " "
                      + line.length()
                      + " "
                      + line.type()
                      + " "
                      + new String(line.parameters(), StandardCharsets.US_ASCII))
          .toList();
    }
  }

  /** {@code open=ok size=N data=SAME table=LINE;LINE;} or {@code open=FAIL(...)}. */
  private static void opensAsCryptsetupDid(Map<String, Object> c) throws IOException {
    byte[] image = Images.read("oracle/" + c.get("image"));
    byte[] header = header(c, image);
    String real = (String) c.get("real_cryptsetup_open");
    String passphrase = Images.oraclePassphrase("pw");
    if (!real.startsWith("open=ok") || isInTheMiddleOfAStep(header)) {
      assertThatThrownBy(() -> unlock(header, passphrase))
          .isInstanceOf(VolumeException.class)
          .satisfies(
              e ->
                  assertThat(e.getMessage().contains("requires reencryption recovery"))
                      .isEqualTo(isInTheMiddleOfAStep(header)));
      return;
    }
    try (UnlockedVolume volume = unlock(header, passphrase)) {
      isTheData(c, volume, image, (int) c.get("pattern_bytes"));
      String lines = real.substring(real.indexOf("table=") + "table=".length());
      assertThat(table(volume, 2048)).isEqualTo(List.of(lines.split(";")));
    }
  }

  private static boolean isInTheMiddleOfAStep(byte[] header) throws IOException {
    try (BlockDevice device = Images.device(header)) {
      return ((Luks2Volume) Volumes.read(device))
          .segments().values().stream().anyMatch(s -> s.flags().contains("in-reencryption"));
    }
  }
}
