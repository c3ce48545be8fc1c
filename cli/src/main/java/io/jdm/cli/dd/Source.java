package io.jdm.cli.dd;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where dd reads. */
interface Source extends Endpoint {
  /**
   * Reads what there is now, at most {@code dst.remaining()} bytes.
   *
   * @return bytes read, 0 at the end
   */
  int read(ByteBuffer dst) throws IOException;

  /**
   * Goes past bytes that cannot be read, at most to the end. Only if {@link #seekable()}.
   *
   * @throws IOException if it cannot
   */
  default void skipBad(int length) throws IOException {
    seek(position() + length);
  }
}
