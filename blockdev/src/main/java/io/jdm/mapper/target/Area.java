package io.jdm.mapper.target;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.Sectors;
import io.jdm.mapper.BackingDevice;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A place on a device that a target passes I/O to.
 *
 * @param backing the device
 * @param start first sector on it
 */
record Area(BackingDevice backing, long start) {
  private BlockDevice device() {
    return backing.device();
  }

  /**
   * Reads from a place in the area.
   *
   * @param offset in bytes from the start of the area, here and below
   */
  void read(long offset, ByteBuffer dst) throws IOException {
    device().read(Sectors.toBytes(start) + offset, dst);
  }

  void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    long at = Sectors.toBytes(start) + offset;
    if (fua) {
      device().writeFua(at, src);
    } else {
      device().write(at, src);
    }
  }

  void flush() throws IOException {
    device().flush();
  }

  boolean supportsDiscard() {
    return device().capabilities().contains(Capability.DISCARD);
  }

  void discard(long offset, long length) throws IOException {
    device().discard(Sectors.toBytes(start) + offset, length);
  }

  boolean supportsWriteZeroes() {
    return device().capabilities().contains(Capability.FAST_ZERO);
  }

  void writeZeroes(long offset, long length) throws IOException {
    device().writeZeroes(Sectors.toBytes(start) + offset, length);
  }

  Extent extent(long offset, long length) throws IOException {
    return device().extent(Sectors.toBytes(start) + offset, length);
  }

  Limits limits() {
    return device().limits();
  }

  /** As two words of a table. */
  @Override
  public String toString() {
    return backing.argument() + " " + start;
  }
}
