package io.jdm.blockdev;

/**
 * Bytes of a device that are known to be alike without reading them, from a place that was asked
 * for on.
 *
 * @param length in bytes, above 0
 * @param state what they are
 */
public record Extent(long length, State state) {
  /** What is known of bytes. */
  public enum State {
    /** Must be read to be known. */
    DATA,
    /** Read as zeros, and have space of their own. */
    ZERO,
    /** Read as zeros, and take no space. */
    HOLE
  }

  public Extent {
    if (length < 1) {
      throw new IllegalArgumentException("extent of " + length + " bytes");
    }
  }

  /** So many bytes of which nothing is known. */
  public static Extent data(long length) {
    return new Extent(length, State.DATA);
  }

  /** Whether the bytes read as zeros. */
  public boolean isZero() {
    return state != State.DATA;
  }

  /** This extent as a device sees it that shows at most so many bytes of it, at least one. */
  public Extent atMost(long bytes) {
    return length <= bytes ? this : new Extent(bytes, state);
  }
}
