package io.jdm.cli.dd;

import java.io.IOException;

/**
 * dd stops: an operand is not valid, a file cannot be opened, moved in or written. The message is
 * what GNU dd prints after {@code dd: }, without the system's words for the cause.
 */
public final class DdException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean adviseHelp;

  private DdException(String message, boolean adviseHelp, IOException cause) {
    super(message, cause);
    this.adviseHelp = adviseHelp;
  }

  static DdException failure(String message) {
    return new DdException(message, false, null);
  }

  static DdException failure(String message, IOException cause) {
    return new DdException(message, false, cause);
  }

  /** One after which dd points to its help. */
  static DdException usage(String message) {
    return new DdException(message, true, null);
  }

  /** Whether the line that points to the help follows. */
  boolean advisesHelp() {
    return adviseHelp;
  }

  /** What the system or a device said, or null. */
  @Override
  public synchronized IOException getCause() {
    return (IOException) super.getCause();
  }
}
