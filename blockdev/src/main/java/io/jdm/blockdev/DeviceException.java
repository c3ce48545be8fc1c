package io.jdm.blockdev;

import java.io.IOException;

/**
 * A block device could not do what was asked: the medium failed, the request does not fit the
 * device, the device is read-only, closed or cannot do that operation. The message says what was
 * asked and found and ends with {@link BlockDevice#describe()} of the device that failed, so that
 * in a stack of devices the culprit is named.
 */
public final class DeviceException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  public DeviceException(Errno errno, String message) {
    super(message);
    this.errno = errno;
  }

  public DeviceException(Errno errno, String message, Throwable cause) {
    super(message, cause);
    this.errno = errno;
  }

  /** What kind of failure this is; never null. */
  public Errno errno() {
    return errno;
  }

  /** The kind of any I/O failure: its own where it is one of ours, else {@link Errno#EIO}. */
  public static Errno errnoOf(IOException e) {
    return e instanceof DeviceException device ? device.errno() : Errno.EIO;
  }
}
