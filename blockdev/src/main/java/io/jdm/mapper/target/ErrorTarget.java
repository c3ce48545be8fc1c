package io.jdm.mapper.target;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Limits;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import io.jdm.mapper.TargetType;
import io.jdm.mapper.Version;
import java.nio.ByteBuffer;

/**
 * Fails all I/O but flushes, which the kernel does not send to it (source: spec/dm-core.md section
 * 6.4).
 */
final class ErrorTarget extends Target {
  private final String deviceName;
  private final Limits limits;

  private ErrorTarget(String deviceName, Limits limits) {
    this.deviceName = deviceName;
    this.limits = limits;
  }

  /** The type {@code error}. */
  public static final class Type implements TargetType {
    @Override
    public String name() {
      return "error";
    }

    @Override
    public Version version() {
      return new Version(1, 7, 0);
    }

    @Override
    public String usage() {
      return "[<dev> <offset>]";
    }

    /** Two words are a device whose limits count; any other number of words is ignored. */
    @Override
    public Target create(TargetContext context, Arguments arguments) throws TargetException {
      if (arguments.count() != 2) {
        return new ErrorTarget(context.deviceName(), Limits.SECTORS);
      }
      String spec = arguments.next("dev", "Invalid argument count");
      long offset = arguments.nextNumber("offset", "Invalid device sector");
      return new ErrorTarget(context.deviceName(), context.device(spec, offset).device().limits());
    }
  }

  private DeviceException error(String operation, long offset, long length) {
    return new DeviceException(
        Errno.EIO,
        operation
            + " of "
            + length
            + " bytes at "
            + offset
            + " of the error target: mapped device "
            + deviceName);
  }

  @Override
  public void read(long offset, ByteBuffer dst) throws DeviceException {
    throw error("read", offset, dst.remaining());
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) throws DeviceException {
    throw error("write", offset, src.remaining());
  }

  @Override
  public void flush() {}

  @Override
  public boolean supportsDiscard() {
    return true;
  }

  @Override
  public void discard(long offset, long length) throws DeviceException {
    throw error("discard", offset, length);
  }

  @Override
  public boolean supportsWriteZeroes() {
    return true;
  }

  @Override
  public void writeZeroes(long offset, long length) throws DeviceException {
    throw error("write-zeroes", offset, length);
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public String table(boolean showKeys) {
    return "";
  }
}
