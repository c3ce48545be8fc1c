package io.jdm.testing;

import io.jdm.blockdev.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Bytes to write to devices, and those read from them. */
public final class Bytes {
  private Bytes() {}

  /** So many times the same byte, to be written. */
  public static ByteBuffer pattern(int value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  /** What a device has there. */
  public static byte[] read(BlockDevice device, long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    device.read(offset, ByteBuffer.wrap(bytes));
    return bytes;
  }
}
