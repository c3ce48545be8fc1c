package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.Program;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The verbs of cryptsetup, beside the installed one. */
final class VolumeCommandsTest {
  private static final String UUID = "6e1f4a50-b5be-4d2a-8b6e-0123456789ab";

  @TempDir Path dir;

  private String file(String name, byte[] content) throws IOException {
    return Files.write(dir.resolve(name), content).toString();
  }

  private String keyFile() throws IOException {
    return file("key", "correct horse".getBytes(StandardCharsets.UTF_8));
  }

  private String theirs(String type) throws IOException {
    String image = file("image-" + type, new byte[20 << 20]);
    Program.run(
        "cryptsetup",
        "luksFormat",
        "-q",
        "--type",
        type,
        "--pbkdf",
        "pbkdf2",
        "--pbkdf-force-iterations",
        "1000",
        "--uuid",
        UUID,
        image,
        keyFile());
    return image;
  }

  @ParameterizedTest
  @ValueSource(strings = {"luks1", "luks2"})
  void luksDumpPrintsWhatCryptsetupPrints(String type) throws IOException {
    String image = theirs(type);
    assertThat(InProcess.jdm("luksDump", image).text())
        .isEqualTo(Program.run("cryptsetup", "luksDump", image));
    assertThat(InProcess.jdm("luksUUID", image).text()).isEqualTo(UUID + "\n");
  }

  @Test
  void luksDumpOfEverythingThatAHeaderCanHave() throws IOException {
    String image = theirs("luks2");
    String key = keyFile();
    Program.run("cryptsetup", "config", "--label", "lab", "--subsystem", "sub", image);
    Program.run("cryptsetup", "config", "--priority", "prefer", "-S", "0", image);
    Program.run("cryptsetup", "token", "add", "--key-description", "k:d", image);
    Program.run(
        "cryptsetup",
        "luksAddKey",
        "-q",
        "--pbkdf",
        "argon2id",
        "--pbkdf-memory",
        "64",
        "--pbkdf-parallel",
        "1",
        "--pbkdf-force-iterations",
        "4",
        "-S",
        "9",
        "-d",
        key,
        image,
        key);
    assertThat(InProcess.jdm("luksDump", image).text())
        .isEqualTo(Program.run("cryptsetup", "luksDump", image));
    assertThat(InProcess.jdm("luksDump", "--json", image).text())
        .contains("\"json_size\" : \"12288\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"luks1", "luks2"})
  void isLuksAndTestPassphraseHaveCryptsetupsExitCodes(String type) throws IOException {
    String image = theirs(type);
    String other = file("other", new byte[1 << 20]);
    String bad = file("bad", new byte[] {'x'});
    assertThat(InProcess.jdm("isLuks", image).code()).isZero();
    assertThat(InProcess.jdm("isLuks", "--type", type, image).code()).isZero();
    assertThat(
            InProcess.jdm("isLuks", "--type", type.equals("luks1") ? "luks2" : "luks1", image)
                .code())
        .isEqualTo(1);
    assertThat(InProcess.jdm("isLuks", other).code()).isEqualTo(1);
    InProcess good = InProcess.jdm("open", "--test-passphrase", "-v", "-d", keyFile(), image);
    assertThat(good.err()).isEmpty();
    assertThat(good.text()).isEqualTo("Key slot 0 unlocked.\nCommand successful.\n");
    InProcess wrong = InProcess.jdm("open", "--test-passphrase", "-d", bad, image);
    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.err()).contains("No key available with this passphrase.");
    assertThat(InProcess.jdm("open", "--test-passphrase", "-d", bad, other).code()).isEqualTo(1);
    assertThat(InProcess.jdm("open", "--test-passphrase", "-S", "5", "-d", keyFile(), image).err())
        .contains("No usable keyslot is available.");
  }

  /** C01 and C06: a line of standard input has no newline, a key file on it keeps all. */
  @Test
  void standardInputIsALineOrAKeyFile() throws IOException {
    String image = theirs("luks2");
    byte[] line = "correct horse\nmore".getBytes(StandardCharsets.UTF_8);
    byte[] exact = "correct horse".getBytes(StandardCharsets.UTF_8);
    assertThat(InProcess.jdm(line, "open", "--test-passphrase", image).code()).isZero();
    assertThat(InProcess.jdm(exact, "open", "--test-passphrase", image).code()).isZero();
    assertThat(InProcess.jdm(line, "open", "--test-passphrase", "-d", "-", image).code())
        .isEqualTo(2);
    assertThat(InProcess.jdm(exact, "open", "--test-passphrase", "-d", "-", image).code()).isZero();
    assertThat(
            InProcess.jdm(line, "open", "--test-passphrase", "-d", "-", "-l", "13", image).code())
        .isZero();
    InProcess empty = InProcess.jdm("open", "--test-passphrase", image);
    assertThat(empty.code()).isEqualTo(1);
    assertThat(empty.err()).contains("Nothing to read on input.").contains("--key-file");
  }

  @Test
  void theDataOfAVolumeGoesInAndOutThroughDd() throws IOException {
    String image = theirs("luks2");
    byte[] plain = new byte[1 << 20];
    new Random(1).nextBytes(plain);
    String source = file("plain", plain);
    InProcess in =
        InProcess.jdm(
            "dd", "if=" + source, "of=volume:" + image, "bs=64K", "--key-file", keyFile());
    assertThat(in.code()).as(in.err()).isZero();
    assertThat(new String(Files.readAllBytes(Path.of(image)), StandardCharsets.ISO_8859_1))
        .doesNotContain(new String(plain, 0, 4096, StandardCharsets.ISO_8859_1));
    InProcess out =
        InProcess.jdm("dd", "if=volume:" + image, "bs=64K", "count=16", "--key-file", keyFile());
    assertThat(out.code()).as(out.err()).isZero();
    assertThat(Arrays.equals(out.out(), plain)).isTrue();
    InProcess named =
        InProcess.jdm("dd", "if=volume:" + image + "?key-file=" + keyFile(), "bs=1M", "count=1");
    assertThat(Arrays.equals(named.out(), plain)).isTrue();
  }

  @Test
  void probeNamesWhatIsThere() throws IOException {
    String image = theirs("luks2");
    InProcess probe = InProcess.jdm("probe", image);
    assertThat(probe.code()).isZero();
    assertThat(probe.text())
        .containsSubsequence("crypto_LUKS  2  at 0        valid    " + UUID, "at 16384    remnant");
    assertThat(InProcess.jdm("probe", "--json", image).text())
        .contains("\"type\" : \"crypto_LUKS\"");
    assertThat(InProcess.jdm("probe", file("zeros", new byte[1 << 20])).code()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"luks1", "luks2"})
  void aVolumeIsMadeAndItsKeysManagedWithoutATerminal(String type) throws IOException {
    String image = file("ours", new byte[20 << 20]);
    String key = keyFile();
    String second = file("second", new byte[] {0, 10, 13, 1});
    String cheap = "--pbkdf-force-iterations=1000";
    ok("luksFormat", "-q", "--type", type, "--pbkdf", "pbkdf2", cheap, image, key);
    opensThere(image, key);
    ok("luksAddKey", "--pbkdf", "pbkdf2", cheap, "-d", key, "-S", "3", image, second);
    opensThere(image, second);
    assertThat(InProcess.jdm("luksKillSlot", "-d", second, image, "3").err())
        .contains("would be destroyed");
    assertThat(InProcess.jdm("luksKillSlot", "-q", image, "5").err())
        .contains("Keyslot 5 is not active.");
    String third = file("third", new byte[] {'t'});
    ok("luksChangeKey", "--pbkdf", "pbkdf2", cheap, "-d", second, image, third);
    opensThere(image, third);
    opensNotThere(image, second);
    ok("luksRemoveKey", image, third);
    opensNotThere(image, third);
    InProcess last = InProcess.jdm("luksRemoveKey", image, key);
    assertThat(last.code()).isEqualTo(1);
    assertThat(last.err()).contains("is the last one").contains("--force");
    Path backup = dir.resolve("backup");
    ok("luksHeaderBackup", image, "--header-backup-file", backup.toString());
    assertThat(InProcess.jdm("luksErase", image).err()).contains("Give -q if it is meant.");
    ok("luksErase", "-q", image);
    opensNotThere(image, key);
    Program.run("cryptsetup", "luksHeaderRestore", "-q", image, "--header-backup-file", backup);
    opensThere(image, key);
  }

  /** A volume key is what the data is encrypted with, never a passphrase, and tells no keyslot. */
  @ParameterizedTest
  @ValueSource(strings = {"luks1", "luks2"})
  void aVolumeKeyFileIsTheVolumeKey(String type) throws IOException {
    String image = file("image", new byte[20 << 20]);
    byte[] bytes = new byte[64];
    Arrays.fill(bytes, (byte) 'v');
    String volumeKey = file("volume-key", bytes);
    String key = keyFile();
    String[] format = {
      "luksFormat",
      "-q",
      "--type",
      type,
      "--pbkdf",
      "pbkdf2",
      "--pbkdf-force-iterations",
      "1000",
      "--volume-key-file",
      volumeKey,
      image,
      key
    };
    ok(format);
    opensThere(image, key);
    opensNotThere(image, volumeKey);
    Program.run("cryptsetup", "open", "--test-passphrase", "--master-key-file", volumeKey, image);
    assertThat(InProcess.jdm("luksRemoveKey", "--volume-key-file", volumeKey, image).err())
        .contains("tells no keyslot");
    opensThere(image, key);
    Files.write(Path.of(volumeKey), new byte[32]);
    assertThat(InProcess.jdm(format).err()).contains("Try --key-size 256.");
    opensThere(image, key);
  }

  @Test
  void aKeyFileHasNoNegativeBytes() throws IOException {
    String image = theirs("luks2");
    for (String option : new String[] {"--keyfile-size=-5", "--keyfile-offset=-1"}) {
      InProcess refused =
          InProcess.jdm("open", "--test-passphrase", "-d", keyFile(), option, image);
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).startsWith("jdm: a key file has no bytes at ");
    }
  }

  /** Where the data begins is what the header says, and may be nonsense. */
  @Test
  void aBackupEndsWithTheKeyslotsWhateverThePayloadOffset() throws IOException {
    String image = theirs("luks1");
    try (FileChannel channel = FileChannel.open(Path.of(image), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(4).putInt(0, 0x8000_0000), 104);
    }
    Path backup = dir.resolve("backup");
    ok("luksHeaderBackup", image, "--header-backup-file", backup.toString());
    assertThat(Files.size(backup)).isLessThan(3 << 20);
  }

  private static void ok(String... args) {
    InProcess command = InProcess.jdm(args);
    assertThat(command.code()).as("%s: %s", Arrays.asList(args), command.err()).isZero();
  }

  private static void opensThere(String image, String key) throws IOException {
    Program.run("cryptsetup", "open", "--test-passphrase", "-d", key, image);
  }

  private static void opensNotThere(String image, String key) throws IOException {
    Program.runFailing("cryptsetup", "open", "--test-passphrase", "-d", key, image);
  }

  @Test
  void aHeaderThatIsOverwrittenIsSavedFirst() throws IOException {
    String image = theirs("luks2");
    String other = file("other", new byte[] {'x'});
    InProcess format =
        InProcess.jdm(
            "luksFormat",
            "-q",
            "--pbkdf",
            "argon2id",
            "--pbkdf-memory",
            "64",
            "--pbkdf-parallel",
            "1",
            "--pbkdf-force-iterations",
            "4",
            image,
            other);
    assertThat(format.code()).as(format.err()).isZero();
    assertThat(format.err())
        .contains("already contains a 'crypto_LUKS' signature")
        .contains("the old header is saved in " + image + ".header-");
    opensThere(image, other);
    opensNotThere(image, keyFile());
    try (var files = Files.list(dir)) {
      Path saved = files.filter(p -> p.toString().contains(".header-")).findFirst().orElseThrow();
      Program.run("cryptsetup", "luksHeaderRestore", "-q", image, "--header-backup-file", saved);
    }
    opensThere(image, keyFile());
  }

  @Test
  void luksFormatRefusesWhatCannotBe() throws IOException {
    String image = file("empty", new byte[20 << 20]);
    String key = keyFile();
    assertThat(InProcess.jdm("luksFormat", image, key).err()).contains("Give -q");
    assertThat(InProcess.jdm("luksFormat", "-q", "--pbkdf", "foo", image, key).err())
        .contains("can be only pbkdf2 or argon2i/argon2id.");
    assertThat(
            InProcess.jdm(
                    "luksFormat",
                    "-q",
                    "--pbkdf",
                    "pbkdf2",
                    "--pbkdf-force-iterations",
                    "1",
                    image,
                    key)
                .err())
        .contains("Forced iteration count is too low for pbkdf2 (minimum is 1000).");
    assertThat(
            InProcess.jdm(
                    "luksFormat",
                    "-q",
                    "--pbkdf",
                    "pbkdf2",
                    "--pbkdf-force-iterations",
                    "1000",
                    "-c",
                    "foo-xts-plain64",
                    image,
                    key)
                .err())
        .contains("foo");
    assertThat(Arrays.equals(Files.readAllBytes(Path.of(image)), new byte[20 << 20])).isTrue();
  }
}
