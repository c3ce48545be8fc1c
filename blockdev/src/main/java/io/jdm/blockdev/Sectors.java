package io.jdm.blockdev;

/**
 * The unit of tables and of the kernel's block layer: a sector is 512 bytes, whatever the device's
 * own block size is.
 */
public final class Sectors {
  /** Bytes in a sector. */
  public static final int SIZE = 512;

  /** log2 of {@link #SIZE}. */
  public static final int SHIFT = 9;

  private Sectors() {}

  /** Bytes in this many sectors; the caller has checked that it fits a long. */
  public static long toBytes(long sectors) {
    return sectors << SHIFT;
  }

  /** Whole sectors in this many bytes. */
  public static long fromBytes(long bytes) {
    return bytes >>> SHIFT;
  }
}
