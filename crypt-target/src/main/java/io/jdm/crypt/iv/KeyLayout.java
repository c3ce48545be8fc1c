package io.jdm.crypt.iv;

/**
 * How the key of a table is split (source: spec/dm-crypt.md section 3.2). Sub-key i starts at i
 * times {@code subKeySize}.
 *
 * @param subKeySize bytes of each sub-key; zero or negative if the key is too short
 * @param extraOffset where the IV mode's own bytes start
 * @param extraSize how many these are, often 0
 */
public record KeyLayout(int subKeySize, int extraOffset, int extraSize) {
  /** So many sub-keys, and the IV mode's bytes at the very end. */
  static KeyLayout extraAtEnd(IvGeometry geometry, int extraSize) {
    int keyOnly = geometry.keySize() - extraSize;
    return new KeyLayout(keyOnly / geometry.keyCount(), keyOnly, extraSize);
  }
}
