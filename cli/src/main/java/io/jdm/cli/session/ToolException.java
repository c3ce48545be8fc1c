package io.jdm.cli.session;

/** A refusal in dmsetup's own words, which {@code Command failed.} follows. */
public final class ToolException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param words what dmsetup prints on standard error, without the last line's end
   */
  public ToolException(String words) {
    super(words);
  }
}
