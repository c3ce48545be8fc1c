package io.jdm.crypt.cipher;

/**
 * The chain modes in Java over any block cipher, for engines that have no native one. What they are
 * given is closed with them, unless stated otherwise. Requests allocate nothing once each size of
 * run has been seen.
 *
 * <p>Source of all: spec/dm-crypt.md sections 4.5, 4.13 and 4.14.
 */
public final class ChainModes {
  private ChainModes() {}

  /**
   * A mode that needs nothing but the block cipher: {@code cbc ecb ctr cfb ofb pcbc}.
   *
   * @throws IllegalArgumentException for another one
   */
  public static SectorCipher plain(String mode, int sectorSize, BlockCipher cipher) {
    return switch (mode) {
      case "cbc" -> new Cbc(sectorSize, cipher);
      case "ecb" -> new Ecb(sectorSize, cipher);
      case "ctr" -> new Ctr(sectorSize, cipher);
      case "cfb" -> new Cfb(sectorSize, cipher);
      case "ofb" -> new Ofb(sectorSize, cipher);
      case "pcbc" -> new Pcbc(sectorSize, cipher);
      default -> throw new IllegalArgumentException(mode + " needs more than a block cipher");
    };
  }

  /**
   * XTS.
   *
   * @param cipher with blocks of 16 bytes, keyed with the first half of the key
   * @param tweak the same cipher with the second half
   */
  public static SectorCipher xts(int sectorSize, BlockCipher cipher, BlockCipher tweak) {
    return new Xts(sectorSize, cipher, tweak);
  }

  /**
   * LRW.
   *
   * @param cipher with blocks of 16 bytes, keyed with all but the last 16 bytes of the key
   * @param tweakKey those 16 bytes; the caller wipes them
   */
  public static SectorCipher lrw(int sectorSize, BlockCipher cipher, byte[] tweakKey) {
    return new Lrw(sectorSize, cipher, tweakKey);
  }

  /**
   * Adiantum.
   *
   * @param key stays the caller's, who closes it
   * @param cipher with blocks of 16 bytes, keyed with {@link AdiantumKey#blockCipherKey()}
   */
  public static SectorCipher adiantum(int sectorSize, AdiantumKey key, BlockCipher cipher) {
    return new Adiantum(sectorSize, key, cipher);
  }

  /** {@code cipher_null}: copies. */
  public static SectorCipher none() {
    return new NullCipher();
  }
}
