package io.jdm.blockdev.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * Gives parts of files back to the file system, which java.nio cannot. A binding to the operating
 * system implements it; {@link FileDevice} finds it with {@link ServiceLoader} and does without if
 * there is none. Thread-safe.
 */
public interface HolePuncher {
  /** Whether this works on this machine. */
  boolean isAvailable();

  /**
   * Opens a regular file of the default file system for writing.
   *
   * @throws IOException if it cannot be opened
   */
  Holes openFile(Path path) throws IOException;

  /**
   * An open file in which holes can be punched. Thread-safe. On POSIX systems closing it drops the
   * locks that this process holds on the file, so it is kept as long as they are needed.
   */
  interface Holes extends AutoCloseable {
    /** Whether the file system can do it. */
    boolean isSupported();

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

  /**
   * Opens a file with the first binding that is available.
   *
   * @return null if there is none, or it cannot open this file
   */
  static Holes open(Path path) {
    for (HolePuncher puncher :
        ServiceLoader.load(HolePuncher.class, HolePuncher.class.getClassLoader())) {
      if (puncher.isAvailable()) {
        try {
          return puncher.openFile(path);
        } catch (IOException e) {
          return null;
        }
      }
    }
    return null;
  }
}
