package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.Errno;
import io.jdm.crypt.CryptTargetType;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.TargetType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The data of a volume in device specs, unlocked as long as it is open: {@code
 * volume:IMAGE[?header=H&key-file=F...]}. The header's device is only read.
 */
public final class VolumeScheme implements DeviceScheme {
  private static final String PREFIX = "volume:";

  /** Specs with a scheme are no paths; a scheme has two letters at least. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+-]+:.*");

  private final Map<String, String> defaults;
  private final Keys keys;
  private final TargetType crypt;

  /** Where a key comes from if the spec does not say. */
  @FunctionalInterface
  public interface Keys {
    /**
     * A key, which the caller closes.
     *
     * @param image as the user named it
     */
    KeySource key(String image) throws IOException;
  }

  /** Made by the service loader: without keys but those that the spec names. */
  public VolumeScheme() {
    this(
        Map.of(),
        image -> {
          throw new DeviceException(
              Errno.EINVAL,
              "no key for " + image + ": name one with " + PREFIX + image + "?key-file=FILE");
        },
        new CryptTargetType());
  }

  /**
   * @param defaults options for specs that do not have them
   * @param keys for specs that have no key
   * @param crypt the target type of the encrypted parts
   */
  public VolumeScheme(Map<String, String> defaults, Keys keys, TargetType crypt) {
    this.defaults = Map.copyOf(defaults);
    this.keys = keys;
    this.crypt = crypt;
  }

  @Override
  public String name() {
    return "volume";
  }

  @Override
  public String usage() {
    return "volume:IMAGE[?header=H&key-file=F&type=T]";
  }

  /** With absolute paths, and with the defaults. */
  @Override
  public String canonicalName(String spec) throws DeviceException {
    VolumeSpec parsed =
        VolumeSpec.parse(spec.startsWith(PREFIX) ? spec.substring(PREFIX.length()) : spec);
    Map<String, String> options = new LinkedHashMap<>(parsed.options());
    defaults.forEach(options::putIfAbsent);
    for (String file :
        new String[] {VolumeSpec.HEADER, VolumeSpec.KEY_FILE, VolumeSpec.VOLUME_KEY_FILE}) {
      options.computeIfPresent(file, (name, value) -> absolute(value));
    }
    return PREFIX + new VolumeSpec(absolute(parsed.image()), options);
  }

  private static String absolute(String spec) {
    return SCHEME.matcher(spec).matches()
        ? spec
        : Path.of(spec).toAbsolutePath().normalize().toString();
  }

  @Override
  public BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs)
      throws IOException {
    VolumeSpec spec = VolumeSpec.parse(canonicalName.substring(PREFIX.length()));
    BlockDevice data = specs.open(spec.image(), writable);
    boolean complete = false;
    try {
      UnlockedVolume volume = unlock(spec, data, specs);
      complete = true;
      try (volume) {
        return VolumeDevice.open(volume, data, writable, crypt);
      }
    } finally {
      if (!complete) {
        data.close();
      }
    }
  }

  private UnlockedVolume unlock(VolumeSpec spec, BlockDevice data, DeviceSpecs specs)
      throws IOException {
    String header = spec.option(VolumeSpec.HEADER);
    if (header == null) {
      return unlock(spec, data);
    }
    try (BlockDevice device = specs.open(header, false)) {
      return unlock(spec, device);
    }
  }

  private UnlockedVolume unlock(VolumeSpec spec, BlockDevice header) throws IOException {
    String type = spec.option(VolumeSpec.TYPE);
    Volume volume =
        type == null || type.equals("luks") ? Volumes.read(header) : Volumes.read(header, type);
    UnlockOptions options =
        UnlockOptions.DEFAULTS
            .withKeyslot(
                (int)
                    Math.min(Integer.MAX_VALUE, spec.number(VolumeSpec.KEYSLOT, UnlockOptions.ANY)))
            .withNullCipher(spec.option(VolumeSpec.NULL_CIPHER) != null);
    try (KeySource key = key(spec)) {
      return volume.unlock(key, options);
    }
  }

  private KeySource key(VolumeSpec spec) throws IOException {
    String volumeKey = spec.option(VolumeSpec.VOLUME_KEY_FILE);
    if (volumeKey != null) {
      try (InputStream in = Files.newInputStream(Path.of(volumeKey))) {
        KeyMaterial key = KeySource.read(in, 0, KeySource.WHOLE);
        return KeySource.volumeKey(key);
      }
    }
    String file = spec.option(VolumeSpec.KEY_FILE);
    return file == null
        ? keys.key(spec.image())
        : KeySource.keyFile(
            Path.of(file),
            spec.number(VolumeSpec.KEY_FILE_OFFSET, 0),
            spec.number(VolumeSpec.KEY_FILE_SIZE, KeySource.WHOLE));
  }
}
