package io.jdm.nbd;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Bytes of the handshake that are to be sent. Not thread-safe. */
public final class HandshakeOutput {
  private ByteBuffer buffer = ByteBuffer.allocate(256);

  /** Creates an empty output. */
  public HandshakeOutput() {}

  /** What was put since the last call, ready to be sent; valid until the next put. */
  public ByteBuffer take() {
    ByteBuffer taken = buffer.duplicate().flip();
    buffer.clear();
    return taken;
  }

  HandshakeOutput putShort(int value) {
    room(Short.BYTES).putShort((short) value);
    return this;
  }

  HandshakeOutput putInt(int value) {
    room(Integer.BYTES).putInt(value);
    return this;
  }

  HandshakeOutput putLong(long value) {
    room(Long.BYTES).putLong(value);
    return this;
  }

  HandshakeOutput put(byte[] bytes) {
    room(bytes.length).put(bytes);
    return this;
  }

  /** A string behind its length. */
  HandshakeOutput putString(byte[] text) {
    return putInt(text.length).put(text);
  }

  private ByteBuffer room(int bytes) {
    if (buffer.remaining() < bytes) {
      int capacity = Math.max(2 * buffer.capacity(), buffer.position() + bytes);
      buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), capacity)).position(buffer.position());
    }
    return buffer;
  }
}
