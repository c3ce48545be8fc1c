package io.jdm.nbd;

/**
 * The sizes of requests that a server takes, in bytes (spec/nbd.md section 3).
 *
 * @param minimum offsets and lengths are multiples of this power of two; 1 to 65536
 * @param preferred a power of two, at least 512 and at least {@code minimum}
 * @param maximum most bytes that a read or write carries, at least {@code preferred}; {@link
 *     #UNLIMITED} for no limit
 */
public record BlockSizes(int minimum, int preferred, long maximum) {
  /** The word that stands for no limit. */
  public static final long UNLIMITED = 0xffff_ffffL;

  /** Most bytes that a read or write may carry everywhere. */
  public static final int PORTABLE_MAXIMUM = 32 << 20;

  /** What holds for a server that does not say. */
  public static final BlockSizes DEFAULT = new BlockSizes(1, 4096, PORTABLE_MAXIMUM);

  private static final int GREATEST_MINIMUM = 1 << 16;
  private static final int LEAST_PREFERRED = 512;

  /**
   * Checks what a server sent.
   *
   * @throws NbdException naming the field that breaks a rule
   */
  static BlockSizes checked(int minimum, int preferred, long maximum) throws NbdException {
    if (minimum <= 0 || minimum > GREATEST_MINIMUM || Integer.bitCount(minimum) != 1) {
      throw new NbdException(
          "minimum block size is "
              + Integer.toUnsignedString(minimum)
              + ", expected a power of two up to "
              + GREATEST_MINIMUM);
    }
    int least = Math.max(LEAST_PREFERRED, minimum);
    if (preferred < least || Integer.bitCount(preferred) != 1) {
      throw new NbdException(
          "preferred block size is "
              + Integer.toUnsignedString(preferred)
              + ", expected a power of two from "
              + least);
    }
    if (maximum < preferred) {
      throw new NbdException(
          "maximum payload is " + maximum + ", below the preferred block size of " + preferred);
    }
    return new BlockSizes(minimum, preferred, maximum);
  }
}
