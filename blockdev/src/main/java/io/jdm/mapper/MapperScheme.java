package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Names mapped devices in device specs: {@code mapper:NAME}, {@code 253:0}, and {@code
 * /dev/mapper/NAME} where no node of the kernel has that name. Their one name is the number, as in
 * the kernel.
 */
final class MapperScheme implements DeviceScheme {
  private final DeviceMapper mapper;
  private final Path nodes;

  /**
   * @param nodes where the kernel's nodes are: {@code /dev/mapper}
   */
  MapperScheme(DeviceMapper mapper, Path nodes) {
    this.mapper = mapper;
    this.nodes = nodes;
  }

  @Override
  public String name() {
    return "mapper";
  }

  @Override
  public String usage() {
    return "mapper:NAME";
  }

  @Override
  public boolean claims(String spec) throws IOException {
    if (DeviceMapper.parseNumber(spec).isPresent()) {
      return true;
    }
    Optional<String> name = nodeName(spec);
    if (name.isEmpty() || mapper.numberOf(name.get()).isEmpty()) {
      return false;
    }
    if (Files.exists(nodes.resolve(name.get()))) {
      throw new DeviceException(
          Errno.EINVAL,
          spec
              + " is a device of the kernel and one of jdm's: say mapper:"
              + name.get()
              + " or file:"
              + spec);
    }
    return true;
  }

  /** The name in {@code /dev/mapper/NAME}. */
  private Optional<String> nodeName(String spec) {
    String prefix = nodes + "/";
    boolean node = spec.startsWith(prefix) && spec.indexOf('/', prefix.length()) < 0;
    return node ? Optional.of(spec.substring(prefix.length())) : Optional.empty();
  }

  @Override
  public String canonicalName(String spec) throws IOException {
    if (DeviceMapper.parseNumber(spec).isPresent()) {
      return spec;
    }
    String name = nodeName(spec).orElse(spec);
    return mapper
        .numberOf(name)
        .map(DeviceNumber::toString)
        .orElseThrow(
            () -> new DeviceException(Errno.ENODEV, "there is no mapped device '" + name + "'"));
  }

  @Override
  public BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs)
      throws IOException {
    return mapper.openFor(null, canonicalName, writable);
  }

  @Override
  public boolean shared() {
    return false;
  }
}
