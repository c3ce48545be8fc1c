package io.jdm.cli.command;

import io.jdm.cli.session.ToolException;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.MapperException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The devices that a verb of dmsetup is about: by name, by uuid, or by number. */
final class DeviceOperands {
  private static final String NODES = "/dev/mapper/";
  private static final Pattern NODE = Pattern.compile("/dev/dm-(\\d{1,7})");

  @Mixin private IgnoredOptions ignored;

  @Parameters(
      arity = "0..*",
      paramLabel = "DEVICE",
      description = "Names of devices, also as /dev/mapper/NAME.")
  private List<String> names = List.of();

  @Option(
      names = {"-u", "--uuid"},
      paramLabel = "UUID",
      description = "The device with this uuid, instead of a name.")
  private String uuid;

  @Option(
      names = {"-j", "--major"},
      paramLabel = "MAJOR",
      description = "With -m, the device with this number, instead of a name.")
  private Integer major;

  @Option(
      names = {"-m", "--minor"},
      paramLabel = "MINOR",
      description = "With -j, the device with this number, instead of a name.")
  private Integer minor;

  /** The devices asked for, in order; empty if none was. */
  List<DeviceId> ids() {
    if (uuid != null) {
      return List.of(DeviceId.withUuid(uuid));
    }
    if (major != null && minor != null) {
      return List.of(DeviceId.numbered(major, minor));
    }
    return names.stream().map(DeviceOperands::id).toList();
  }

  /**
   * The devices asked for as they are now, all of the mapper if none was.
   *
   * @throws ToolException if one does not exist
   */
  List<DeviceInfo> infos(DeviceMapper mapper) throws ToolException {
    List<DeviceId> ids = ids();
    if (ids.isEmpty()) {
      return mapper.list();
    }
    List<DeviceInfo> infos = new ArrayList<>();
    for (DeviceId id : ids) {
      try {
        infos.add(mapper.info(id));
      } catch (MapperException e) {
        throw new ToolException("Device does not exist.");
      }
    }
    return infos;
  }

  /** Whether output needs the devices' names: unless one was asked for. */
  boolean several() {
    return ids().size() != 1;
  }

  /** The device that a word names: a name, {@code /dev/mapper/NAME}, {@code /dev/dm-N}. */
  private static DeviceId id(String word) {
    Matcher node = NODE.matcher(word);
    if (node.matches()) {
      return DeviceId.numbered(DeviceMapper.MAJOR, Integer.parseInt(node.group(1)));
    }
    return DeviceId.named(word.startsWith(NODES) ? word.substring(NODES.length()) : word);
  }
}
