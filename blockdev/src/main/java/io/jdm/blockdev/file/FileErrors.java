package io.jdm.blockdev.file;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * Finds the error number in what java.nio throws, which has types for some and texts for others.
 */
final class FileErrors {
  private FileErrors() {}

  /** The error number of a failure; {@link Errno#EIO} if it does not say. */
  static Errno errno(IOException e) {
    if (e instanceof DeviceException device) {
      return device.errno();
    }
    if (e instanceof NoSuchFileException) {
      return Errno.ENOENT;
    }
    if (e instanceof AccessDeniedException) {
      return Errno.EACCES;
    }
    if (e instanceof FileAlreadyExistsException) {
      return Errno.EEXIST;
    }
    if (e instanceof NotDirectoryException) {
      return Errno.ENOTDIR;
    }
    if (e instanceof FileSystemLoopException) {
      return Errno.ELOOP;
    }
    String text = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    if (text != null) {
      for (Errno errno : Errno.values()) {
        if (text.contains(errno.message())) {
          return errno;
        }
      }
    }
    return Errno.EIO;
  }
}
