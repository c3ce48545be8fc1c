package io.jdm.cli.session;

import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.TargetType;
import io.jdm.volume.KeySource;
import io.jdm.volume.UnlockOptions;
import io.jdm.volume.VolumeScheme;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** How volumes are unlocked, with cryptsetup's options. */
public final class VolumeOptions {
  private static final String STANDARD_INPUT = "-";

  @Option(
      names = {"-d", "--key-file"},
      paramLabel = "FILE",
      description = "The passphrase is all bytes of FILE, newlines too; - is standard input.")
  private String keyFile;

  @Option(
      names = "--keyfile-offset",
      paramLabel = "BYTES",
      defaultValue = "0",
      description = "Skip so many bytes of the key file.")
  private long keyFileOffset;

  @Option(
      names = {"-l", "--keyfile-size"},
      paramLabel = "BYTES",
      description = "Take so many bytes of the key file; fewer are an error.")
  private Long keyFileSize;

  @Option(
      names = "--volume-key-file",
      paramLabel = "FILE",
      description = "The volume key itself, which needs no keyslot; luksFormat makes it the key.")
  private Path volumeKeyFile;

  @Option(
      names = {"-S", "--key-slot"},
      paramLabel = "N",
      description = "Only this keyslot.")
  private Integer keyslot;

  @Option(
      names = "--header",
      paramLabel = "FILE",
      description = "The volume's header lies here, and not in front of its data.")
  private String header;

  @Option(
      names = {"-M", "--type"},
      paramLabel = "TYPE",
      description = "luks1, luks2, or luks for either (default).")
  private String type;

  @Option(
      names = "--allow-null-cipher",
      description =
          "Open a volume that encrypts nothing, which whoever can write its header could"
              + " make it.")
  private boolean allowNullCipher;

  /** Where the header is: {@code --header}, else the image. */
  public String header(String image) {
    return header != null ? header : image;
  }

  /** {@code luks1} or {@code luks2}; null for either. */
  public String type() {
    return type == null || type.equals("luks") ? null : type;
  }

  /** The keyslot asked for, or {@link UnlockOptions#ANY}. */
  public int keyslot() {
    return keyslot == null ? UnlockOptions.ANY : keyslot;
  }

  /** What these options say about unlocking. */
  public UnlockOptions unlockOptions() {
    return UnlockOptions.DEFAULTS.withKeyslot(keyslot()).withNullCipher(allowNullCipher);
  }

  /** Whether the header lies on a device of its own. */
  public boolean isDetached() {
    return header != null;
  }

  /**
   * The key as the options tell it; without one it is a line of the terminal, or of standard input
   * if that is none.
   *
   * @param prompt for the terminal
   */
  public KeySource key(Stdio stdio, String prompt) throws IOException, UsageException {
    KeySource key = key(stdio);
    return key != null ? key : KeySource.passphrase(Passphrases.read(stdio, prompt));
  }

  /** A passphrase that is to be set: that of the key file, or typed twice at a terminal. */
  public KeySource newKey(Stdio stdio, String prompt) throws IOException, UsageException {
    KeySource key = fileKey(stdio);
    return key != null ? key : KeySource.passphrase(Passphrases.readNew(stdio, prompt));
  }

  /** What {@code --volume-key-file} holds, which the caller closes; null without it. */
  public KeyMaterial volumeKey() throws IOException {
    if (volumeKeyFile == null) {
      return null;
    }
    try (InputStream in = Files.newInputStream(volumeKeyFile)) {
      return KeySource.read(in, 0, KeySource.WHOLE);
    }
  }

  private KeySource key(Stdio stdio) throws IOException {
    KeyMaterial volumeKey = volumeKey();
    return volumeKey != null ? KeySource.volumeKey(volumeKey) : fileKey(stdio);
  }

  private KeySource fileKey(Stdio stdio) throws IOException {
    if (keyFile == null) {
      return null;
    }
    long size = keyFileSize == null ? KeySource.WHOLE : keyFileSize;
    if (keyFile.equals(STANDARD_INPUT)) {
      KeyMaterial bytes = KeySource.read(stdio.in(), keyFileOffset, size);
      return KeySource.passphrase(bytes);
    }
    return KeySource.keyFile(Path.of(keyFile), keyFileOffset, size);
  }

  /** The scheme {@code volume:}, for specs that do not say all this themselves. */
  VolumeScheme scheme(Stdio stdio, TargetType crypt) {
    Map<String, String> defaults = new LinkedHashMap<>();
    if (header != null) {
      defaults.put("header", header);
    }
    if (type() != null) {
      defaults.put("type", type());
    }
    if (keyslot != null) {
      defaults.put("key-slot", keyslot.toString());
    }
    if (allowNullCipher) {
      defaults.put("allow-null-cipher", "");
    }
    return new VolumeScheme(
        defaults,
        image -> {
          KeySource key = key(stdio);
          return key != null
              ? key
              : KeySource.passphrase(
                  Passphrases.ask("Enter passphrase for " + image + ": ", image));
        },
        crypt);
  }
}
