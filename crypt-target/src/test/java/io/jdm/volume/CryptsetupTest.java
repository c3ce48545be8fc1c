package io.jdm.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.file.FileDevice;
import io.jdm.crypt.CryptTargetType;
import io.jdm.crypt.kdf.Argon2;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.testing.Program;
import io.jdm.volume.luks1.Luks1Editor;
import io.jdm.volume.luks1.Luks1Spec;
import io.jdm.volume.luks2.Luks2Editor;
import io.jdm.volume.luks2.Luks2Spec;
import io.jdm.volume.luks2.Luks2Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The installed cryptsetup and qemu-img, both ways: what one makes or changes, the other opens. */
final class CryptsetupTest {
  private static final String CHEAP = "--pbkdf-force-iterations=1000";

  @TempDir Path dir;

  private Path key(String passphrase) throws IOException {
    return Files.writeString(dir.resolve("key-" + passphrase), passphrase);
  }

  private Path image(long size) throws IOException {
    Path image = dir.resolve("image");
    FileDevice.create(image, size).close();
    return image;
  }

  private void opensThere(Path image, String passphrase) throws IOException {
    Program.run("cryptsetup", "open", "--test-passphrase", "--key-file", key(passphrase), image);
  }

  private void opensNotThere(Path image, String passphrase) throws IOException {
    String said =
        Program.runFailing(
            "cryptsetup", "open", "--test-passphrase", "--key-file", key(passphrase), image);
    assertThat(said).containsAnyOf("No key available", "No usable keyslot");
  }

  private static int opensHere(Path image, String passphrase) throws IOException {
    try (BlockDevice device = FileDevice.open(image, false)) {
      return Editors.opens(device, passphrase);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsMadeAndChangedHereOpensThere(Editors editor) throws IOException {
    Path image = image(4 << 20);
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE)) {
      edit(image, device -> editor.format(device, volumeKey));
      edit(image, device -> editor.add(device, volumeKey, "first", -1));
      opensThere(image, "first");
      assertThat(Program.run("cryptsetup", "luksUUID", image).strip()).isEqualTo(Editors.UUID);
      edit(image, device -> editor.add(device, volumeKey, "second", 3));
      opensThere(image, "second");
      edit(image, device -> editor.change(device, volumeKey, 0, "changed"));
      opensThere(image, "changed");
      opensNotThere(image, "first");
      edit(image, device -> editor.kill(device, 3));
      opensNotThere(image, "second");
      opensThere(image, "changed");
      Program.run(
          "cryptsetup",
          "luksAddKey",
          "-q",
          "--pbkdf",
          "pbkdf2",
          CHEAP,
          "--key-file",
          key("changed"),
          image,
          key("theirs"));
      assertThat(opensHere(image, "theirs")).isNotNegative();
      edit(image, device -> editor.erase(device));
      opensNotThere(image, "changed");
    }
  }

  private interface Edit {
    void apply(BlockDevice device) throws IOException;
  }

  private static void edit(Path image, Edit edit) throws IOException {
    try (BlockDevice device = FileDevice.open(image, true)) {
      edit.apply(device);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--type luks1 -c aes-xts-plain64 -s 256",
        "--type luks1 -c aes-xts-plain64 -s 512 -h sha512",
        "--type luks1 -c aes-cbc-essiv:sha256 -s 192 -h ripemd160",
        "--type luks1 -c aes-ecb -s 128 -h sha1",
        "--type luks2 --pbkdf pbkdf2 -h sha1",
        "--type luks2 --pbkdf pbkdf2 -h whirlpool --sector-size 4096",
        "--type luks2 --pbkdf pbkdf2 -c aes-cbc-plain64 -s 256 --sector-size 1024",
        "--type luks2 --pbkdf pbkdf2 --luks2-metadata-size 64k --luks2-keyslots-size 1m",
        "--type luks2 --pbkdf argon2i --pbkdf-memory 32 --pbkdf-parallel 1",
        "--type luks2 --pbkdf argon2id --pbkdf-memory 512 --pbkdf-parallel 4"
      })
  void whatIsMadeThereOpensHere(String options) throws IOException {
    Path image = image(20 << 20);
    List<Object> arguments = new ArrayList<>(List.of("luksFormat", "-q"));
    arguments.addAll(List.of(options.split(" ")));
    arguments.add("--pbkdf-force-iterations=" + (options.contains("argon2") ? 4 : 1000));
    arguments.addAll(List.of(image, key("theirs")));
    Program.run("cryptsetup", arguments.toArray());
    assertThat(opensHere(image, "theirs")).isZero();
    assertThat(opensHere(image, "Theirs")).isEqualTo(-1);
  }

  @Test
  void volumesOfEveryShapeMadeHereOpenThere() throws IOException {
    Path image = image(20 << 20);
    Luks2Spec defaults = Luks2Spec.defaults();
    Argon2.Cost cost = new Argon2.Cost(4, 256, 2);
    for (KeyslotCost keyslot :
        List.of(
            KeyslotCost.pbkdf2("sha512", 1000),
            KeyslotCost.argon2i(cost),
            KeyslotCost.argon2id(cost))) {
      Luks2Spec spec =
          new Luks2Spec(
              "aes-xts-plain64",
              4096,
              "sha512",
              defaults.uuid(),
              "label",
              "subsystem",
              0x8000,
              4 << 20,
              8 << 20);
      try (KeyMaterial volumeKey = KeyMaterial.random(64);
          KeyMaterial passphrase = Editors.secret("ours");
          BlockDevice device = FileDevice.open(image, true)) {
        Luks2Editor.format(device, spec, volumeKey, KdfMonitor.NONE)
            .addKey(volumeKey, passphrase, keyslot, -1, KdfMonitor.NONE);
      }
      opensThere(image, "ours");
      assertThat(Program.run("cryptsetup", "luksDump", image))
          .containsSubsequence(
              "Epoch:         \t3",
              "Metadata area: \t32768",
              "Label:         \tlabel",
              "sector: 4096",
              "PBKDF:      " + keyslot.type());
    }
  }

  @Test
  void theWholeHeaderOfTheDefaultsIsWhatCryptsetupMakes() throws IOException {
    Path image = image(20 << 20);
    try (KeyMaterial volumeKey = KeyMaterial.random(64);
        KeyMaterial passphrase = Editors.secret("ours");
        BlockDevice device = FileDevice.open(image, true)) {
      Luks2Editor.format(device, Luks2Spec.defaults(), volumeKey, KdfMonitor.NONE)
          .addKey(volumeKey, passphrase, KeyslotCost.pbkdf2("sha256", 1000), -1, KdfMonitor.NONE);
    }
    String ours = Program.run("cryptsetup", "luksDump", "--dump-json-metadata", image);
    Program.run(
        "cryptsetup",
        "luksFormat",
        "-q",
        "--type",
        "luks2",
        "--pbkdf",
        "pbkdf2",
        CHEAP,
        "--sector-size",
        "512",
        image,
        key("theirs"));
    String theirs = Program.run("cryptsetup", "luksDump", "--dump-json-metadata", image);
    String random = "\"(salt|digest)\":\"[^\"]*\"";
    assertThat(ours.replaceAll(random, "")).isEqualTo(theirs.replaceAll(random, ""));
  }

  /** Their re-encryption of files is an oracle for data, without a kernel. */
  @Test
  void dataWrittenThroughAVolumeMadeHereIsDecryptedThere() throws IOException {
    long seed = Long.getLong("jdm.random.seed", 20261201);
    byte[] plain = new byte[1 << 20];
    new Random(seed).nextBytes(plain);
    Path data = dir.resolve("data");
    Path header = dir.resolve("header");
    FileDevice.create(data, plain.length).close();
    FileDevice.create(header, 16 << 20).close();
    Luks2Spec d = Luks2Spec.defaults();
    Luks2Spec spec =
        new Luks2Spec(
            d.cipher(), 4096, d.hash(), d.uuid(), "", "", d.metadataSize(), d.keyslotsSize(), 0);
    try (KeyMaterial volumeKey = KeyMaterial.random(64);
        KeyMaterial passphrase = Editors.secret("ours");
        BlockDevice device = FileDevice.open(header, true)) {
      Luks2Editor.format(device, spec, volumeKey, KdfMonitor.NONE)
          .addKey(volumeKey, passphrase, KeyslotCost.pbkdf2("sha256", 1000), -1, KdfMonitor.NONE);
      try (KeySource source = Images.passphrase("ours");
          UnlockedVolume volume = Volumes.read(device).unlock(source, UnlockOptions.DEFAULTS);
          BlockDevice mapped =
              VolumeDevice.open(volume, FileDevice.open(data, true), true, new CryptTargetType())) {
        mapped.write(0, ByteBuffer.wrap(plain));
        mapped.flush();
      }
    }
    assertThat(Files.readAllBytes(data)).isNotEqualTo(plain);
    Program.run(
        "cryptsetup",
        "reencrypt",
        "--decrypt",
        "--force-offline-reencrypt",
        "-q",
        "--header",
        header,
        "--key-file",
        key("ours"),
        data);
    assertThat(Files.readAllBytes(data)).as("seed %d", seed).isEqualTo(plain);
  }

  @ParameterizedTest
  @CsvSource({
    "aes-256,xts,plain64,sha256,64",
    "serpent-256,xts,plain64,sha512,64",
    "twofish-128,cbc,plain64,ripemd160,16"
  })
  void aLuks1VolumeMadeHereIsReadByQemu(
      String algorithm, String mode, String iv, String hash, int keySize) throws IOException {
    byte[] plain = new byte[1 << 18];
    new Random(keySize).nextBytes(plain);
    Path image = image(8 << 20);
    Luks1Spec spec =
        new Luks1Spec(
            algorithm.replaceAll("-.*", ""),
            mode + "-" + iv,
            hash,
            Editors.UUID,
            Luks1Spec.DEFAULT_ALIGNMENT,
            false);
    try (KeyMaterial volumeKey = KeyMaterial.random(keySize);
        KeyMaterial passphrase = Editors.secret("ours")) {
      edit(
          image,
          device ->
              Luks1Editor.format(device, spec, volumeKey, KdfMonitor.NONE)
                  .addKey(volumeKey, passphrase, 1000, -1, KdfMonitor.NONE));
      try (UnlockedVolume volume = unlock(image, volumeKey);
          BlockDevice mapped =
              VolumeDevice.open(
                  volume, FileDevice.open(image, true), true, new CryptTargetType())) {
        mapped.write(0, ByteBuffer.wrap(plain));
      }
    }
    Path raw = dir.resolve("raw");
    Program.run(
        "qemu-img",
        "convert",
        "--object",
        "secret,id=s,file=" + key("ours"),
        "--image-opts",
        "driver=luks,key-secret=s,file.filename=" + image,
        "-O",
        "raw",
        raw);
    byte[] read = new byte[plain.length];
    try (var in = Files.newInputStream(raw)) {
      assertThat(in.readNBytes(read, 0, read.length)).isEqualTo(read.length);
    }
    assertThat(read).isEqualTo(plain);
  }

  private static UnlockedVolume unlock(Path image, KeyMaterial volumeKey) throws IOException {
    try (BlockDevice header = FileDevice.open(image, false);
        KeySource source = KeySource.volumeKey(volumeKey.part(0, volumeKey.size()))) {
      return Volumes.read(header).unlock(source, UnlockOptions.DEFAULTS);
    }
  }

  /** C17: cryptsetup rewrites a damaged copy while it looks; nothing here does. */
  @Test
  void lookingNeverChangesAByte() throws IOException {
    Path image = image(20 << 20);
    Program.run(
        "cryptsetup",
        "luksFormat",
        "-q",
        "--type",
        "luks2",
        "--pbkdf",
        "pbkdf2",
        CHEAP,
        image,
        key("theirs"));
    byte[] damaged = Files.readAllBytes(image);
    damaged[5000] ^= 1;
    Files.write(image, damaged);
    try (BlockDevice device = FileDevice.open(image, true)) {
      Volumes.probe(device);
      Luks2Volume volume = (Luks2Volume) Volumes.read(device);
      assertThat(volume.isSecondary()).isTrue();
      assertThat(Editors.opens(device, "theirs")).isZero();
      try (KeySource source = Images.passphrase("theirs")) {
        volume.unlock(source, UnlockOptions.DEFAULTS).close();
      }
    }
    assertThat(Files.readAllBytes(image)).isEqualTo(damaged);
  }

  @Test
  void tokensOfEitherAreKeptByTheOther() throws IOException {
    Path image = image(20 << 20);
    Program.run(
        "cryptsetup",
        "luksFormat",
        "-q",
        "--type",
        "luks2",
        "--pbkdf",
        "pbkdf2",
        CHEAP,
        image,
        key("theirs"));
    Program.run("cryptsetup", "token", "add", "--key-description", "k:d", image);
    edit(
        image,
        device -> {
          Luks2Editor editor = Luks2Editor.open(device);
          assertThat(editor.volume().tokens().get(0).type()).isEqualTo("luks2-keyring");
          editor.addToken(
              "{\"type\":\"mine\",\"keyslots\":[\"0\"],\"n\":7}".getBytes(StandardCharsets.UTF_8),
              -1);
          editor.setFlags(List.of("allow-discards"));
          editor.setPriority(0, 2);
        });
    String dump = Program.run("cryptsetup", "luksDump", image);
    assertThat(dump)
        .containsSubsequence(
            "Flags:       \tallow-discards",
            "Priority:   preferred",
            "0: luks2-keyring",
            "1: mine");
    assertThat(Program.run("cryptsetup", "token", "export", "--token-id", "1", image))
        .contains("{\"type\":\"mine\",\"keyslots\":[\"0\"],\"n\":7}");
    opensThere(image, "theirs");
  }
}
