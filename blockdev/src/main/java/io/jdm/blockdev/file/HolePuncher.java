package io.jdm.blockdev.file;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Gives parts of files back to the file system, which java.nio cannot. A binding to the operating
 * system implements it; {@link FileDevice} finds it with {@link java.util.ServiceLoader} and does
 * without if there is none. Thread-safe.
 */
public interface HolePuncher {
  /** Whether this works on this machine; asked once. */
  boolean isAvailable();

  /**
   * Opens a file of the default file system for writing.
   *
   * @throws IOException if it cannot be opened or its file system has no holes
   */
  Holes open(Path path) throws IOException;

  /**
   * An open file in which holes can be punched. Thread-safe. Closing it may drop the locks that
   * this process holds on the file (fcntl(2) on POSIX), so it is kept until the file's last channel
   * closes.
   */
  interface Holes extends AutoCloseable {
    /**
     * Makes a range read as zeros and frees what whole blocks of the file system it covers. The
     * size of the file does not change.
     *
     * @param offset first byte, not negative
     * @param length in bytes, above 0
     */
    void punch(long offset, long length) throws IOException;

    @Override
    void close() throws IOException;
  }
}
