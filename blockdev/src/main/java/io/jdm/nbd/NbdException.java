package io.jdm.nbd;

import io.jdm.blockdev.Errno;
import java.io.IOException;

/**
 * The other side broke the protocol, or refused what was asked. The message names the field, what
 * was found and what was expected, or says the refusal in the other side's words.
 */
public final class NbdException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  /** A violation of the protocol: field, found and expected. */
  public NbdException(String message) {
    this(Errno.EIO, message);
  }

  /** A refusal of this kind. */
  public NbdException(Errno errno, String message) {
    super(message);
    this.errno = errno;
  }

  /** What the user of a device is told; {@link Errno#EIO} for a violation of the protocol. */
  public Errno errno() {
    return errno;
  }
}
