package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.AligningDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes of headers: from devices of any block size, of any length, hostile. */
public final class HeaderBytes {
  private HeaderBytes() {}

  /** Up to {@code length} bytes from {@code offset}; fewer, or none, where the device ends. */
  public static byte[] read(BlockDevice device, long offset, int length) throws IOException {
    BlockDevice bytes =
        device.limits().logicalBlockSize() == 1 ? device : AligningDevice.of(device);
    long room = Math.max(0, bytes.size() - offset);
    byte[] read = new byte[(int) Math.min(length, room)];
    if (read.length > 0) {
      bytes.read(offset, ByteBuffer.wrap(read));
    }
    return read;
  }

  /**
   * Text that ends with a NUL byte or with its field.
   *
   * @return one character a byte, so that nothing is lost
   */
  public static String text(byte[] header, int offset, int size) {
    int end = offset;
    while (end < offset + size && header[end] != 0) {
      end++;
    }
    return new String(header, offset, end - offset, StandardCharsets.ISO_8859_1);
  }

  /** Whether these bytes are at this place, which may lie outside. */
  public static boolean has(byte[] bytes, int offset, byte[] magic) {
    return offset >= 0
        && bytes.length - magic.length >= offset
        && Arrays.equals(bytes, offset, offset + magic.length, magic, 0, magic.length);
  }
}
