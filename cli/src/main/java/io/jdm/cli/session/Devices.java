package io.jdm.cli.session;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.layer.AligningDevice;
import io.jdm.blockdev.layer.CachingDevice;
import io.jdm.crypt.CryptTargetType;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.Keyring;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.TableText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.regex.Pattern;

/**
 * The mapped devices of one command, and whatever else can be named as a device. Not thread-safe.
 */
public final class Devices implements AutoCloseable {
  /** The made-up name of a table, and how more of them begin. */
  private static final String TABLE_DEVICE = "table";

  private static final String FILE_SCHEME = "file:";
  private static final String MAPPER_FOLDER = "/dev/mapper/";

  /** How a table begins, and no path that anyone has: first sector, length, target type. */
  private static final Pattern TABLE = Pattern.compile("\\s*\\d+\\s+\\d+\\s+\\w.*", Pattern.DOTALL);

  /** What is no path, even if nobody knows the scheme. */
  private static final Pattern SCHEME =
      Pattern.compile("[A-Za-z][A-Za-z0-9+-]+:.*", Pattern.DOTALL);

  private final DeviceMapper mapper;
  private int tables;

  private Devices(String engine, VolumeOptions volumes, Stdio stdio) {
    CryptTargetType crypt = new CryptTargetType(Engines.installed(), engine, Keyring.process());
    mapper =
        DeviceMapper.builder().targetType(crypt).deviceScheme(volumes.scheme(stdio, crypt)).build();
  }

  /**
   * Makes the devices of every source in turn; a later one may lie on an earlier one.
   *
   * @param engine of crypt targets, as {@link Engines#select} takes it
   * @param volumes how {@code volume:} devices are unlocked
   * @param stdio where a passphrase may come from
   * @throws MapperException if a text or a table is refused; then nothing is left
   */
  static Devices create(List<MapSource> sources, String engine, VolumeOptions volumes, Stdio stdio)
      throws IOException {
    Devices devices = new Devices(engine, volumes, stdio);
    try {
      for (MapSource source : sources) {
        devices.add(source);
      }
      return devices;
    } catch (IOException | RuntimeException e) {
      devices.close();
      throw e;
    }
  }

  private void add(MapSource source) throws IOException {
    byte[] text = source.read();
    try {
      for (DeviceDefinition definition : DeviceDefinition.parseConcise(text)) {
        try (definition) {
          mapper.create(definition);
        }
      }
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  /** The mapper behind the names. */
  public DeviceMapper mapper() {
    return mapper;
  }

  /**
   * Whether a name stands for a device of ours rather than a file of the system: it has a known
   * scheme, or is that of a mapped device.
   */
  public boolean knows(String name) {
    if (name.startsWith(MAPPER_FOLDER)) {
      return exists(name.substring(MAPPER_FOLDER.length()));
    }
    int colon = name.indexOf(':');
    return colon > 1
        && ServiceLoader.load(DeviceScheme.class).stream()
            .anyMatch(scheme -> scheme.get().name().equals(name.substring(0, colon)));
  }

  private boolean exists(String name) {
    try {
      mapper.info(DeviceId.named(name));
      return true;
    } catch (MapperException e) {
      return false;
    }
  }

  /**
   * Opens a device as a sequence of bytes.
   *
   * @param direct whether requests go straight to the device; otherwise a cache reads ahead and
   *     writes behind, as under a block device of the kernel
   */
  public BlockDevice openBytes(String spec, boolean writable, boolean direct) throws IOException {
    BlockDevice device = mapper.openSpec(spec, writable);
    return direct
        ? AligningDevice.of(device)
        : CachingDevice.over(device, CachingDevice.Options.DEFAULTS.withName(spec));
  }

  /**
   * Opens what a command that takes any device was given: the name of a mapped device, any other
   * device, or a whole table, which becomes a device of a made-up name.
   */
  public BlockDevice openDeviceOrTable(String text, boolean writable) throws IOException {
    if (exists(text)) {
      return mapper.open(DeviceId.named(text), writable);
    }
    if (!TABLE.matcher(text).matches()) {
      return mapper.openSpec(text, writable);
    }
    try (DeviceDefinition definition = definition(TABLE_DEVICE + ++tables, text, !writable)) {
      return mapper.open(mapper.create(definition).id(), writable);
    }
  }

  /**
   * How another process makes a device: what it reads as {@code --map-file}, and the device's name
   * there.
   *
   * @param concise may hold keys: wiped by whoever asked for it
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Recipe(byte[] concise, String device) {}

  /**
   * Tells how another process makes the devices of these options and opens one, as {@link
   * #openDeviceOrTable} does.
   */
  public static Recipe recipe(GlobalOptions options, String device, boolean readOnly)
      throws IOException {
    List<byte[]> parts = new ArrayList<>();
    try {
      for (MapSource source : options.maps()) {
        parts.add(source.read());
      }
      boolean table = TABLE.matcher(device).matches();
      if (table) {
        try (DeviceDefinition definition = definition(TABLE_DEVICE, device, readOnly)) {
          parts.add(definition.toConcise());
        }
      }
      return new Recipe(join(parts), table ? TABLE_DEVICE : device);
    } finally {
      parts.forEach(part -> Arrays.fill(part, (byte) 0));
    }
  }

  private static byte[] join(List<byte[]> parts) {
    byte[] joined = new byte[parts.stream().mapToInt(part -> part.length + 1).sum()];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, joined, at, part.length);
      at += part.length;
      joined[at++] = ';';
    }
    if (at == 0) {
      return joined;
    }
    byte[] concise = Arrays.copyOf(joined, at - 1);
    Arrays.fill(joined, (byte) 0);
    return concise;
  }

  private static DeviceDefinition definition(String name, String table, boolean readOnly)
      throws IOException {
    byte[] bytes = table.getBytes(StandardCharsets.UTF_8);
    try {
      return new DeviceDefinition(
          name, "", DeviceDefinition.ANY_MINOR, readOnly, TableText.parse(bytes, ""));
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /** The file that a spec names and that is not there yet; empty if it names anything else. */
  public Optional<Path> missingFile(String spec) {
    boolean named = spec.startsWith(FILE_SCHEME);
    if (!named
        && (exists(spec)
            || knows(spec)
            || TABLE.matcher(spec).matches()
            || SCHEME.matcher(spec).matches())) {
      return Optional.empty();
    }
    Path path = Path.of(named ? spec.substring(FILE_SCHEME.length()) : spec);
    return Files.notExists(path) && !path.toAbsolutePath().startsWith("/dev")
        ? Optional.of(path)
        : Optional.empty();
  }

  /** Removes the mapped devices; all that was opened is closed before. */
  @Override
  public void close() {
    mapper.close();
  }
}
