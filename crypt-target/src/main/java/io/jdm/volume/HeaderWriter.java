package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.AligningDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * Writes parts of headers to a device of any block size. What was written is on stable storage
 * after {@link #flush()}, and in no order before. Not thread-safe.
 */
public final class HeaderWriter {
  private static final int CHUNK = 1 << 20;

  private final BlockDevice device;
  private final BlockDevice bytes;

  /**
   * @param device stays the caller's, who flushes and closes it
   */
  public HeaderWriter(BlockDevice device) {
    this.device = device;
    this.bytes = device.limits().logicalBlockSize() == 1 ? device : AligningDevice.of(device);
  }

  /** The device. */
  public BlockDevice device() {
    return device;
  }

  /** Writes these bytes. */
  public void write(long offset, byte[] data) throws IOException {
    bytes.write(offset, ByteBuffer.wrap(data));
  }

  /** Overwrites an area with random bytes. */
  public void writeRandom(long offset, long size, SecureRandom random) throws IOException {
    byte[] noise = new byte[(int) Math.min(size, CHUNK)];
    for (long done = 0; done < size; done += noise.length) {
      random.nextBytes(noise);
      bytes.write(
          offset + done, ByteBuffer.wrap(noise, 0, (int) Math.min(noise.length, size - done)));
    }
  }

  /** Makes an area read as zeros. */
  public void writeZeroes(long offset, long size) throws IOException {
    bytes.writeZeroes(offset, size);
  }

  /** Returns when all that was written is on stable storage. */
  public void flush() throws IOException {
    bytes.flush();
  }
}
