package io.jdm.blockdev;

/**
 * The error numbers of Linux that block devices, the mapper and NBD share, with the C library's
 * words for them. They are what {@code dmsetup} prints and what goes over the wire, so they are
 * part of every checked error here.
 */
public enum Errno {
  EPERM(1, "Operation not permitted"),
  ENOENT(2, "No such file or directory"),
  EINTR(4, "Interrupted system call"),
  EIO(5, "Input/output error"),
  ENXIO(6, "No such device or address"),
  EAGAIN(11, "Resource temporarily unavailable"),
  ENOMEM(12, "Cannot allocate memory"),
  EACCES(13, "Permission denied"),
  ENOTBLK(15, "Block device required"),
  EBUSY(16, "Device or resource busy"),
  EEXIST(17, "File exists"),
  ENODEV(19, "No such device"),
  ENOTDIR(20, "Not a directory"),
  EISDIR(21, "Is a directory"),
  EINVAL(22, "Invalid argument"),
  EFBIG(27, "File too large"),
  ENOSPC(28, "No space left on device"),
  EROFS(30, "Read-only file system"),
  ENAMETOOLONG(36, "File name too long"),
  ELOOP(40, "Too many levels of symbolic links"),
  EILSEQ(84, "Invalid or incomplete multibyte or wide character"),
  EOVERFLOW(75, "Value too large for defined data type"),
  EOPNOTSUPP(95, "Operation not supported"),
  ESHUTDOWN(108, "Cannot send after transport endpoint shutdown"),
  ETIMEDOUT(110, "Connection timed out"),
  ENOKEY(126, "Required key not available");

  private final int number;
  private final String message;

  Errno(int number, String message) {
    this.number = number;
    this.message = message;
  }

  /** The number on Linux, positive. */
  public int number() {
    return number;
  }

  /** The words of {@code strerror(3)}. */
  public String message() {
    return message;
  }
}
