package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A range of a device as a device of its own: a partition, the payload behind a header. */
public final class SliceDevice extends LayerDevice {
  private final long start;
  private final long size;

  private SliceDevice(BlockDevice below, long start, long size) {
    super(below);
    this.start = start;
    this.size = size;
  }

  /**
   * The bytes {@code start} to {@code start + size - 1} of a device.
   *
   * @param start first byte, a multiple of the logical block size
   * @param size bytes, a multiple of the logical block size; may be 0
   * @throws DeviceException {@link Errno#EINVAL} if the range is not inside the device or not
   *     aligned
   */
  public static SliceDevice of(BlockDevice below, long start, long size) throws DeviceException {
    int block = below.limits().logicalBlockSize();
    String reason = null;
    if (start < 0 || size < 0 || start > below.size() || size > below.size() - start) {
      reason = "is outside the device of " + below.size() + " bytes";
    } else if (((start | size) & (block - 1)) != 0) {
      reason = "is not a multiple of the block size of " + block + " bytes";
    }
    if (reason != null) {
      throw new DeviceException(
          Errno.EINVAL,
          "slice of " + size + " bytes at " + start + " " + reason + ": " + below.describe());
    }
    return new SliceDevice(below, start, size);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public String describe() {
    return "slice of " + size + " bytes at " + start + " of " + below.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    below.read(start + offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    below.write(start + offset, src);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    below.writeFua(start + offset, src);
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    below.discard(start + offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    below.writeZeroes(start + offset, length);
  }

  @Override
  protected Extent doExtent(long offset, long length) throws IOException {
    return below.extent(start + offset, length);
  }
}
