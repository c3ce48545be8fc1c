package io.jdm.mapper;

import io.jdm.blockdev.Errno;
import java.io.IOException;

/**
 * A target refuses its arguments, a message, or a state change. {@link #reason()} holds the
 * kernel's own words for it (what would stand in the kernel log); {@link #getMessage()} adds what
 * we know more: the argument, what was found, what was expected. Neither ever holds a key.
 */
public final class TargetException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;
  private final String reason;
  private final String detail;

  /**
   * @param errno what the kernel's function would return
   * @param reason the kernel's words, never null; empty where the kernel says nothing
   * @param detail field, found and expected; may be empty
   */
  public TargetException(Errno errno, String reason, String detail) {
    super(reason.isEmpty() ? detail : detail.isEmpty() ? reason : reason + ": " + detail);
    this.errno = errno;
    this.reason = reason;
    this.detail = detail;
  }

  public TargetException(Errno errno, String reason, String detail, Throwable cause) {
    this(errno, reason, detail);
    initCause(cause);
  }

  public Errno errno() {
    return errno;
  }

  /** The kernel's words alone. */
  public String reason() {
    return reason;
  }

  /** What we know more, alone. */
  public String detail() {
    return detail;
  }
}
