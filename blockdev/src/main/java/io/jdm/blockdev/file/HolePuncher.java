package io.jdm.blockdev.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * Finds holes in files, and makes them by giving parts back to the file system, which java.nio
 * cannot. A binding to the operating system implements it; {@link FileDevice} finds it with {@link
 * ServiceLoader} and does without if there is none. Thread-safe.
 */
public interface HolePuncher {
  /** Whether this works on this machine. */
  boolean isAvailable();

  /**
   * Opens a regular file of the default file system.
   *
   * @param writable whether holes are to be punched
   * @throws IOException if it cannot be opened
   */
  Holes openFile(Path path, boolean writable) throws IOException;

  /**
   * An open file in which holes can be found and punched. Thread-safe. On POSIX systems closing it
   * drops the locks that this process holds on the file, so it is kept as long as they are needed.
   */
  interface Holes extends AutoCloseable {
    /** Whether holes can be punched: the file is open for writing and its file system can do it. */
    boolean isSupported();

    /**
     * Makes a range read as zeros and frees what whole blocks of the file system it covers. The
     * size of the file does not change.
     *
     * @param offset first byte, not negative
     * @param length in bytes, above 0
     */
    void punch(long offset, long length) throws IOException;

    /**
     * The first byte from {@code offset} on that is not in a hole, {@link Long#MAX_VALUE} if none
     * is; {@code offset} where the file system tells nothing.
     */
    long nextData(long offset) throws IOException;

    /** The first byte from {@code offset} on that is in a hole; the end of the file is one. */
    long nextHole(long offset) throws IOException;

    @Override
    void close() throws IOException;
  }

  /**
   * Opens a file with the first binding that is available.
   *
   * @return null if there is none, or it cannot open this file
   */
  static Holes open(Path path, boolean writable) {
    for (HolePuncher puncher :
        ServiceLoader.load(HolePuncher.class, HolePuncher.class.getClassLoader())) {
      if (puncher.isAvailable()) {
        try {
          return puncher.openFile(path, writable);
        } catch (IOException e) {
          return null;
        }
      }
    }
    return null;
  }
}
