package io.jdm.cli.bench;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.file.FileDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A sparse file that is gone when it is closed, and also when the process is told to end. */
final class TemporaryFile implements AutoCloseable {
  private final Path path;
  private final Thread hook;

  private TemporaryFile(Path path) {
    this.path = path;
    this.hook = new Thread(() -> delete(path), "jdm bench cleanup");
  }

  /**
   * Makes one.
   *
   * @param size in bytes
   * @throws DeviceException {@link Errno#ENOSPC} if the folder's file system has no room to fill it
   */
  static TemporaryFile create(Path directory, long size) throws IOException {
    checkSpace(directory, size);
    Path path = Files.createTempFile(directory, "jdm-bench-", ".img");
    TemporaryFile file = new TemporaryFile(path);
    Runtime.getRuntime().addShutdownHook(file.hook);
    try {
      file.renew(size);
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Checks that a folder's file system has so many bytes left.
   *
   * @throws DeviceException {@link Errno#ENOSPC}
   */
  static void checkSpace(Path directory, long size) throws IOException {
    long free = Files.getFileStore(directory).getUsableSpace();
    if (free < size) {
      throw new DeviceException(
          Errno.ENOSPC,
          Errno.ENOSPC.message()
              + ": the test needs "
              + size
              + " bytes, "
              + directory
              + " has "
              + free);
    }
  }

  Path path() {
    return path;
  }

  /** Gives back all blocks: the file is one hole again. */
  void renew(long size) throws IOException {
    Files.delete(path);
    FileDevice.create(path, size).close();
  }

  @Override
  public void close() {
    delete(path);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook does the same.
    }
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      System.err.println("jdm: cannot delete " + path + ": " + e.getMessage());
    }
  }
}
