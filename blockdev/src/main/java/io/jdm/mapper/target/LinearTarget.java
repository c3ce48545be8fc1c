package io.jdm.mapper.target;

import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import io.jdm.mapper.TargetType;
import io.jdm.mapper.Version;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Sectors one to one on a place of another device (source: spec/dm-core.md section 6.1). */
final class LinearTarget extends Target {
  private final Area area;

  private LinearTarget(Area area) {
    this.area = area;
  }

  /** The type {@code linear}. */
  public static final class Type implements TargetType {
    @Override
    public String name() {
      return "linear";
    }

    @Override
    public Version version() {
      return new Version(1, 4, 0);
    }

    @Override
    public String usage() {
      return "<dev> <offset>";
    }

    @Override
    public Target create(TargetContext context, Arguments arguments) throws TargetException {
      if (arguments.count() != 2) {
        throw arguments.error(
            "Invalid argument count", "found " + arguments.count() + ", expected " + usage());
      }
      String spec = arguments.next("dev", "Invalid argument count");
      long offset = arguments.nextNumber("offset", "Invalid device sector");
      return new LinearTarget(new Area(context.device(spec, offset), offset));
    }
  }

  @Override
  public void read(long offset, ByteBuffer dst) throws IOException {
    area.read(offset, dst);
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    area.write(offset, src, fua);
  }

  @Override
  public void flush() throws IOException {
    area.flush();
  }

  @Override
  public boolean supportsDiscard() {
    return area.supportsDiscard();
  }

  @Override
  public void discard(long offset, long length) throws IOException {
    area.discard(offset, length);
  }

  @Override
  public boolean supportsWriteZeroes() {
    return area.supportsWriteZeroes();
  }

  @Override
  public void writeZeroes(long offset, long length) throws IOException {
    area.writeZeroes(offset, length);
  }

  @Override
  public Extent extent(long offset, long length) throws IOException {
    return area.extent(offset, length);
  }

  @Override
  public Limits limits() {
    return area.limits();
  }

  @Override
  public String table(boolean showKeys) {
    return area.toString();
  }
}
