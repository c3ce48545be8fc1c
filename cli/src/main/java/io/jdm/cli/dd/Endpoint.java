package io.jdm.cli.dd;

import java.io.Closeable;
import java.io.IOException;

/** One end of dd: a sequence of bytes with a place in it. Not thread-safe. */
interface Endpoint extends Closeable {
  /** Whether there is a place to move; if not, as in a pipe, only reading or writing moves on. */
  boolean seekable();

  /** Where the next byte comes from or goes. Only if {@link #seekable()}. */
  long position() throws IOException;

  /** Moves to a byte. Only if {@link #seekable()}. */
  void seek(long position) throws IOException;

  /**
   * The size of a regular file, where dd stops when it skips too far and which it cuts or extends;
   * -1 for anything else, whose own {@link #seek} knows what is too far.
   */
  long fileSize() throws IOException;
}
