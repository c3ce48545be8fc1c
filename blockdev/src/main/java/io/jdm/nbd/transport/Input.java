package io.jdm.nbd.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What the other side sends, read many messages at a time. Headers are decoded where they lie;
 * small data is used there; the rest of large data goes straight from the transport to where it is
 * wanted. Not thread-safe.
 *
 * <p>An empty buffer is filled from {@value #HEADER} bytes before a page boundary on, so that the
 * data of a request or of a structured reply that comes alone is page-aligned.
 */
public final class Input {
  private static final int PAGE = 4096;

  /** Bytes before the data of a write, and of a chunk of a structured read. */
  private static final int HEADER = 28;

  private static final int FIRST = PAGE - HEADER;

  private final Transport transport;
  private final ByteBuffer buffer;
  private int start = FIRST;
  private int end = FIRST;
  private boolean sparing;

  /**
   * @param buffer page-aligned and at least two pages; this object's while it is used
   */
  public Input(Transport transport, ByteBuffer buffer) {
    this.transport = transport;
    this.buffer = buffer;
  }

  /** Whether so many bytes are there. */
  public boolean has(int length) {
    return end - start >= length;
  }

  /** The buffer that holds the bytes, for absolute access from {@link #position()} on. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Index of the next byte in {@link #buffer()}. */
  public int position() {
    return start;
  }

  /** Goes on by so many bytes, which are there. */
  public void consume(int length) {
    start += length;
  }

  /**
   * Reads until so many bytes are there.
   *
   * @param length at most the buffer's capacity without its first page
   * @return false if the stream ended before the first of them
   * @throws IOException also if it ended after that
   */
  public boolean fill(int length) throws IOException {
    if (start == end) {
      start = FIRST;
      end = FIRST;
    } else if (start + length > buffer.capacity()) {
      int have = end - start;
      buffer.put(FIRST, buffer, start, have);
      start = FIRST;
      end = FIRST + have;
    }
    try {
      while (end - start < length) {
        buffer.limit(sparing ? start + length : buffer.capacity()).position(end);
        int n = transport.read(buffer);
        if (n < 0) {
          if (start == end) {
            return false;
          }
          throw new IOException("connection ended inside a message");
        }
        end += n;
      }
    } finally {
      buffer.clear();
    }
    return true;
  }

  /** Fills a buffer with the next bytes, directly as far as they were not read yet. */
  public void read(ByteBuffer dst) throws IOException {
    int have = Math.min(end - start, dst.remaining());
    dst.put(dst.position(), buffer, start, have).position(dst.position() + have);
    start += have;
    if (dst.hasRemaining() && !transport.readFully(dst)) {
      throw new IOException("connection ended inside data");
    }
  }

  /** Drops so many bytes. */
  public void skip(long length) throws IOException {
    int have = (int) Math.min(end - start, length);
    start += have;
    long left = length - have;
    try {
      while (left > 0) {
        int n = transport.read(buffer.limit((int) Math.min(buffer.capacity(), left)).position(0));
        if (n < 0) {
          throw new IOException("connection ended inside data");
        }
        left -= n;
      }
    } finally {
      buffer.clear();
    }
  }

  /** Tells whether the data of the next message is likely to be large, and not to be read here. */
  public void expectLarge(boolean large) {
    sparing = large;
  }
}
