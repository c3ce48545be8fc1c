package io.jdm.blockdev;

import java.nio.ByteBuffer;

/**
 * The kinds of buffers that callers may hand to a device. Each is made with room around the bytes
 * of the request, so that a test sees whether anything else was touched.
 */
enum BufferKind {
  HEAP,
  DIRECT,
  /** A heap buffer whose array does not begin where the buffer does. */
  HEAP_SLICE,
  /** A direct buffer at an odd address. */
  DIRECT_SLICE,
  HEAP_READ_ONLY,
  DIRECT_READ_ONLY;

  /** Bytes before and after those of the request. */
  static final int GUARD = 13;

  private static final byte GUARD_BYTE = (byte) 0xa5;

  boolean isReadOnly() {
    return this == HEAP_READ_ONLY || this == DIRECT_READ_ONLY;
  }

  /** A buffer with this content between its position and its limit. */
  ByteBuffer holding(byte[] content) {
    int capacity = content.length + 2 * GUARD;
    ByteBuffer buffer =
        switch (this) {
          case HEAP, HEAP_READ_ONLY -> ByteBuffer.allocate(capacity);
          case DIRECT, DIRECT_READ_ONLY -> ByteBuffer.allocateDirect(capacity);
          case HEAP_SLICE -> ByteBuffer.allocate(capacity + 7).slice(7, capacity);
          case DIRECT_SLICE -> ByteBuffer.allocateDirect(capacity + 7).slice(7, capacity);
        };
    for (int i = 0; i < capacity; i++) {
      buffer.put(i, GUARD_BYTE);
    }
    buffer.put(GUARD, content);
    buffer.position(GUARD).limit(GUARD + content.length);
    return isReadOnly()
        ? buffer.asReadOnlyBuffer().position(buffer.position()).limit(buffer.limit())
        : buffer;
  }

  /** The bytes of the request, whatever position and limit are now. */
  static byte[] content(ByteBuffer buffer) {
    byte[] content = new byte[buffer.capacity() - 2 * GUARD];
    buffer.duplicate().clear().position(GUARD).get(content);
    return content;
  }

  /** Whether the bytes around those of the request are as they were. */
  static boolean guardsAreIntact(ByteBuffer buffer) {
    ByteBuffer all = buffer.duplicate().clear();
    for (int i = 0; i < GUARD; i++) {
      if (all.get(i) != GUARD_BYTE || all.get(all.capacity() - 1 - i) != GUARD_BYTE) {
        return false;
      }
    }
    return true;
  }
}
