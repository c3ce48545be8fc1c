package io.jdm.cli.dd;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A device as dd's output: full at its size, as block devices are. */
final class DeviceSink extends DeviceEndpoint implements Sink {
  private final boolean fua;

  /**
   * @param fua whether each write is on stable storage when it returns
   */
  DeviceSink(BlockDevice device, boolean fua) {
    super(device);
    this.fua = fua;
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    int length = clip(src.remaining());
    if (length == 0) {
      throw new DeviceException(
          Errno.ENOSPC, "the end at " + device.size() + " is reached: " + device.describe());
    }
    int limit = src.limit();
    src.limit(src.position() + length);
    try {
      if (fua) {
        device.writeFua(position, src);
      } else {
        device.write(position, src);
      }
    } finally {
      src.limit(limit);
    }
    position += length;
    return length;
  }

  /** A device keeps its old data where nothing is written, so it must make the zeros itself. */
  @Override
  public boolean skipZeros(int length) throws IOException {
    if (fua || clip(length) < length || !device.capabilities().contains(Capability.FAST_ZERO)) {
      return false;
    }
    device.writeZeroes(position, length);
    position += length;
    return true;
  }

  @Override
  public void truncate(long size) {}

  @Override
  public void sync(boolean metadata) throws IOException {
    device.flush();
  }
}
