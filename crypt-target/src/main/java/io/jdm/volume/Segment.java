package io.jdm.volume;

import io.jdm.crypt.key.KeyMaterial;

/**
 * A part of an unlocked volume: what one table line needs.
 *
 * @param cipher as in a crypt table; null for a part that is not encrypted
 * @param key of the cipher; null without one
 * @param ivOffset 512-byte sectors
 * @param offset bytes from the start of the data device
 * @param length bytes; {@link #REST} for all that the data device has
 * @param sectorSize bytes of an encryption sector
 * @param ivLargeSectors whether IVs count encryption sectors
 */
public record Segment(
    String cipher,
    KeyMaterial key,
    long ivOffset,
    long offset,
    long length,
    int sectorSize,
    boolean ivLargeSectors) {
  /** Up to the end of the data device. */
  public static final long REST = -1;

  /** A part that is encrypted as LUKS does it. */
  public static Segment crypt(
      String cipher, KeyMaterial key, long ivOffset, long offset, long length, int sectorSize) {
    return new Segment(cipher, key, ivOffset, offset, length, sectorSize, false);
  }

  /** A part that is not encrypted. */
  public static Segment linear(long offset, long length) {
    return new Segment(null, null, 0, offset, length, 512, false);
  }

  /** Without the key. */
  @Override
  public String toString() {
    return (cipher == null ? "linear" : cipher) + " at " + offset + ", length " + length;
  }
}
