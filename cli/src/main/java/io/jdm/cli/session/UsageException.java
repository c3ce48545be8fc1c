package io.jdm.cli.session;

/** The command line asks for something that does not exist or does not fit together. */
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String advice;

  /**
   * @param message what the user reads after {@code jdm: }
   * @param advice the line after that, or an empty string
   */
  public UsageException(String message, String advice) {
    super(message);
    this.advice = advice;
  }

  /** What to try; may be empty. */
  public String advice() {
    return advice;
  }
}
