package io.jdm.cli.dd;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;

/** A device with byte access. */
abstract class DeviceEndpoint implements Endpoint {
  final BlockDevice device;
  long position;

  /** Owns the device. */
  DeviceEndpoint(BlockDevice device) {
    this.device = device;
  }

  /** How many of so many bytes are left before the end. */
  final int clip(int length) {
    return (int) Math.min(length, device.size() - position);
  }

  @Override
  public final boolean seekable() {
    return true;
  }

  @Override
  public final long position() {
    return position;
  }

  @Override
  public final void seek(long to) throws DeviceException {
    if (to > device.size()) {
      throw new DeviceException(
          Errno.EINVAL,
          "position " + to + ", expected at most " + device.size() + ": " + device.describe());
    }
    position = to;
  }

  @Override
  public final long fileSize() {
    return -1;
  }

  @Override
  public final void close() throws IOException {
    device.close();
  }
}
