package io.jdm.nbd.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A connection that carries bytes both ways. One thread may read while another writes, but only one
 * of each; the users see to that. Any failure is final: close it.
 */
public interface Transport extends AutoCloseable {
  /**
   * Reads some bytes, waiting for the first.
   *
   * @param dst with room for at least one byte; a direct buffer is served best
   * @return how many, or -1 if the other side sends no more
   */
  int read(ByteBuffer dst) throws IOException;

  /** Writes all remaining bytes of one buffer. */
  void write(ByteBuffer src) throws IOException;

  /**
   * Writes all remaining bytes of the first {@code count} buffers, gathered in as few system calls
   * as there can be.
   */
  void write(ByteBuffer[] srcs, int count) throws IOException;

  /** Makes a reader see the end of the stream; what is being sent still goes out. */
  void shutdownInput() throws IOException;

  /** Closes at once; readers and writers fail. Thread-safe. */
  @Override
  void close() throws IOException;

  /**
   * Fills a buffer.
   *
   * @return false if the stream ended before its first byte
   * @throws IOException also if it ended after that
   */
  default boolean readFully(ByteBuffer dst) throws IOException {
    int start = dst.position();
    while (dst.hasRemaining()) {
      if (read(dst) < 0) {
        if (dst.position() == start) {
          return false;
        }
        throw new IOException(
            "connection ended after "
                + (dst.position() - start)
                + " bytes, expected "
                + dst.remaining()
                + " more");
      }
    }
    return true;
  }
}
