package io.jdm.blockdev.file;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Files in device specs: {@code file:PATH}, or the bare path. */
public final class FileScheme implements DeviceScheme {
  private static final String PREFIX = "file:";

  @Override
  public String name() {
    return "file";
  }

  @Override
  public String usage() {
    return "file:PATH";
  }

  /**
   * The absolute path without symbolic links; with {@code file:} where the path alone could mean a
   * mapped device.
   */
  @Override
  public String canonicalName(String spec) throws IOException {
    Path path = path(spec);
    Path real = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath().normalize();
    String name = real.toString();
    return name.startsWith("/dev/mapper/") ? PREFIX + name : name;
  }

  @Override
  public BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs)
      throws IOException {
    return FileDevice.open(
        path(
            canonicalName.startsWith(PREFIX)
                ? canonicalName.substring(PREFIX.length())
                : canonicalName),
        writable);
  }

  private static Path path(String text) throws DeviceException {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new DeviceException(Errno.EINVAL, "'" + text + "' is not a path", e);
    }
  }
}
