package io.jdm.volume;

/**
 * Something that a device holds, as far as a few bytes tell.
 *
 * @param type blkid's name for it: {@code crypto_LUKS}, {@code ext4}, {@code gpt}
 * @param version of the format; empty for none
 * @param offset of the signature in bytes
 * @param confidence how sure it is
 * @param label empty for none
 * @param uuid empty for none
 */
public record Signature(
    String type, String version, long offset, Confidence confidence, String label, String uuid) {
  /** How sure a signature is. */
  public enum Confidence {
    /** A checksum or a whole structure is right. */
    VALID,
    /** Only the magic bytes are there. */
    MAGIC,
    /** It is a second copy, or what is left of one. */
    REMNANT
  }
}
