package io.jdm.nbd.server;

import io.jdm.nbd.Request;
import io.jdm.nbd.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The bytes that a client sends, read many requests at a time. Not thread-safe: whoever holds the
 * connection's input has it.
 *
 * <p>An empty buffer is filled from {@value Request#SIZE} bytes before a page boundary on, so that
 * the payload of a write that comes alone is page-aligned.
 */
final class RequestStream {
  private static final int PAGE = 4096;
  private static final int FIRST = PAGE - Request.SIZE;

  private final Transport transport;
  private final ByteBuffer buffer;
  private int start = FIRST;
  private int end = FIRST;

  /** Whether to read no more than is needed, since a large payload goes elsewhere. */
  private boolean sparing;

  /**
   * @param buffer page-aligned; the stream's while it is used
   */
  RequestStream(Transport transport, ByteBuffer buffer) {
    this.transport = transport;
    this.buffer = buffer;
  }

  /** How many bytes {@link #fill} can gather. */
  static int capacity(ByteBuffer buffer) {
    return buffer.capacity() - FIRST;
  }

  /** Whether so many bytes are there. */
  boolean has(int length) {
    return end - start >= length;
  }

  /** The buffer that holds the bytes, for absolute access from {@link #position()} on. */
  ByteBuffer buffer() {
    return buffer;
  }

  /** Index of the next byte in {@link #buffer()}. */
  int position() {
    return start;
  }

  /** Goes on by so many bytes, which are there. */
  void consume(int length) {
    start += length;
  }

  /**
   * Reads until so many bytes are there.
   *
   * @return false if the stream ended before the first of them
   */
  boolean fill(int length) throws IOException {
    if (start == end) {
      start = FIRST;
      end = FIRST;
    } else if (start + length > buffer.capacity()) {
      buffer.limit(end).position(start);
      int have = end - start;
      buffer.put(FIRST, buffer, start, have);
      start = FIRST;
      end = FIRST + have;
    }
    while (end - start < length) {
      buffer.limit(sparing ? start + length : buffer.capacity()).position(end);
      int n = transport.read(buffer);
      if (n < 0) {
        if (start == end) {
          return false;
        }
        throw new IOException("connection ended inside a request");
      }
      end += n;
    }
    buffer.clear();
    return true;
  }

  /** Fills a buffer with a large payload, directly as far as it was not read yet. */
  void read(ByteBuffer dst) throws IOException {
    int have = Math.min(end - start, dst.remaining());
    dst.put(dst.position(), buffer, start, have).position(dst.position() + have);
    start += have;
    if (dst.hasRemaining() && !transport.readFully(dst)) {
      throw new IOException("connection ended inside a payload");
    }
  }

  /** Drops so many bytes. */
  void skip(long length) throws IOException {
    long left = length;
    while (left > 0) {
      if (start == end && !fill(1)) {
        throw new IOException("connection ended inside a payload");
      }
      int n = (int) Math.min(left, end - start);
      start += n;
      left -= n;
    }
  }

  /** Tells whether the next request is likely to have a large payload. */
  void expectLarge(boolean large) {
    sparing = large;
  }
}
