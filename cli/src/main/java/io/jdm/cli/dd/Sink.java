package io.jdm.cli.dd;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where dd writes. */
interface Sink extends Endpoint {
  /**
   * Writes what can be written now, at least one byte.
   *
   * @return bytes written
   */
  int write(ByteBuffer src) throws IOException;

  /**
   * Makes the next bytes read as zeros without writing them, for {@code conv=sparse}.
   *
   * @return whether it did; if not, the zeros are to be written
   */
  boolean skipZeros(int length) throws IOException;

  /** Cuts or lengthens a regular file. Only if there is a {@link #fileSize()}. */
  void truncate(long size) throws IOException;

  /**
   * Waits until all data is on stable storage.
   *
   * @param metadata whether the file's times must be there as well
   */
  void sync(boolean metadata) throws IOException;
}
