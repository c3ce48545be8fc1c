package io.jdm.blockdev.file;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Finds the error number in what java.nio throws: it has types for some and texts for others. */
final class FileErrors {
  private FileErrors() {}

  /** The error number of a failure; {@link Errno#EIO} if it does not say. */
  static Errno errno(IOException e) {
    if (e instanceof NoSuchFileException) {
      return Errno.ENOENT;
    }
    if (e instanceof AccessDeniedException) {
      return Errno.EACCES;
    }
    if (e instanceof FileAlreadyExistsException) {
      return Errno.EEXIST;
    }
    String text = text(e);
    for (Errno errno : Errno.values()) {
      if (text.contains(errno.message())) {
        return errno;
      }
    }
    return DeviceException.errnoOf(e);
  }

  /** Why it failed: the C library's words, or its own if the error number says little. */
  static String reason(Errno errno, IOException e) {
    String text = text(e);
    return errno != Errno.EIO || text.isEmpty() ? errno.message() : text;
  }

  private static String text(IOException e) {
    String text = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return text == null ? "" : text;
  }
}
