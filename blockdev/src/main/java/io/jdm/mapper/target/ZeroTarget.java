package io.jdm.mapper.target;

import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import io.jdm.mapper.TargetType;
import io.jdm.mapper.Version;
import java.nio.ByteBuffer;

/** Reads as zeros and forgets what is written (source: spec/dm-core.md section 6.3). */
final class ZeroTarget extends Target {
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 * 1024).asReadOnlyBuffer();

  private ZeroTarget() {}

  /** The type {@code zero}. */
  public static final class Type implements TargetType {
    @Override
    public String name() {
      return "zero";
    }

    @Override
    public Version version() {
      return new Version(1, 2, 0);
    }

    @Override
    public String usage() {
      return "";
    }

    @Override
    public Target create(TargetContext context, Arguments arguments) throws TargetException {
      if (arguments.count() != 0) {
        throw arguments.error("No arguments required", "found " + arguments.count());
      }
      return new ZeroTarget();
    }
  }

  @Override
  public void read(long offset, ByteBuffer dst) {
    while (dst.hasRemaining()) {
      int length = Math.min(dst.remaining(), ZEROS.capacity());
      dst.put(dst.position(), ZEROS, 0, length).position(dst.position() + length);
    }
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) {
    src.position(src.limit());
  }

  @Override
  public void flush() {}

  @Override
  public boolean supportsDiscard() {
    return true;
  }

  @Override
  public void discard(long offset, long length) {}

  @Override
  public boolean supportsWriteZeroes() {
    return true;
  }

  @Override
  public void writeZeroes(long offset, long length) {}

  @Override
  public Extent extent(long offset, long length) {
    return new Extent(length, Extent.State.HOLE);
  }

  @Override
  public Limits limits() {
    return Limits.SECTORS;
  }

  @Override
  public String table(boolean showKeys) {
    return "";
  }
}
