package io.jdm.blockdev;

/**
 * The sizes that requests to a device should or must have, in bytes.
 *
 * @param logicalBlockSize offsets and lengths must be multiples of this; 1 for devices with byte
 *     access, else a power of two
 * @param preferredIoSize requests of this size and alignment are served best; a power of two
 * @param maximumIoSize the device cuts longer requests into pieces of at most this; callers may
 *     send any length
 */
public record Limits(int logicalBlockSize, int preferredIoSize, int maximumIoSize) {
  /** Byte access, 4 KiB preferred. */
  public static final Limits BYTES = new Limits(1, 4096, Integer.MAX_VALUE);

  /** Whole sectors, 4 KiB preferred: what the kernel gives a plain disk. */
  public static final Limits SECTORS = new Limits(Sectors.SIZE, 4096, Integer.MAX_VALUE);

  public Limits {
    if (Integer.bitCount(logicalBlockSize) != 1 || Integer.bitCount(preferredIoSize) != 1) {
      throw new IllegalArgumentException(
          "block sizes are powers of two, not " + logicalBlockSize + " and " + preferredIoSize);
    }
    if (maximumIoSize < logicalBlockSize) {
      throw new IllegalArgumentException(
          "maximum I/O size " + maximumIoSize + " below block size " + logicalBlockSize);
    }
  }

  /** The limits of a device stacked on both: the stricter of each. */
  public Limits stack(Limits other) {
    return new Limits(
        Math.max(logicalBlockSize, other.logicalBlockSize),
        Math.max(preferredIoSize, other.preferredIoSize),
        Math.min(maximumIoSize, other.maximumIoSize));
  }

  /** The same with offsets and lengths in multiples of at least this many bytes. */
  public Limits withLogicalBlockSize(int bytes) {
    return stack(new Limits(bytes, bytes, Integer.MAX_VALUE));
  }
}
