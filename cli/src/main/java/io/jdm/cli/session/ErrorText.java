package io.jdm.cli.session;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.mapper.MapperException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** The C library's words for what went wrong, which is what tools print after a file name. */
public final class ErrorText {
  /** What Java adds to the system's words. */
  private static final String NOFOLLOW = " (NOFOLLOW_LINKS specified)";

  private ErrorText() {}

  /**
   * What {@code strerror(3)} says where the failure came from the system, else the failure's own
   * message.
   */
  public static String of(IOException e) {
    if (e instanceof DeviceException device) {
      return device.errno().message();
    }
    if (e instanceof MapperException mapper) {
      return mapper.errno().message();
    }
    if (e instanceof FileSystemException file && file.getReason() != null) {
      return file.getReason();
    }
    if (e instanceof NoSuchFileException) {
      return Errno.ENOENT.message();
    }
    if (e instanceof AccessDeniedException) {
      return Errno.EACCES.message();
    }
    if (e instanceof FileAlreadyExistsException) {
      return Errno.EEXIST.message();
    }
    if (e instanceof NotDirectoryException) {
      return Errno.ENOTDIR.message();
    }
    return e.getMessage() != null
        ? e.getMessage().replace(NOFOLLOW, "")
        : e.getClass().getSimpleName();
  }

  /**
   * What {@link #of} leaves out where a device or the mapper failed: field, found, expected, and
   * which device it was; else an empty string.
   */
  public static String detail(IOException e) {
    if (e instanceof MapperException mapper) {
      return mapper.explanation();
    }
    return e instanceof DeviceException ? e.getMessage() : "";
  }

  /** Whether nobody reads what was written. */
  public static boolean isBrokenPipe(IOException e) {
    return "Broken pipe".equals(e.getMessage());
  }
}
