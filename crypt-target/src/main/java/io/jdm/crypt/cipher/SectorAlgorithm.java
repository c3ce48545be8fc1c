package io.jdm.crypt.cipher;

/**
 * What is done to every encryption sector: a block cipher in a chain mode, with a key of one size,
 * on sectors of one size. Names are the kernel's: {@code aes}, {@code serpent}, {@code des3_ede},
 * {@code cipher_null}; for adiantum {@code xchacha12,aes}. Modes: {@code xts cbc ecb lrw ctr cfb
 * ofb pcbc adiantum}.
 *
 * @param cipher the kernel's name of the block cipher
 * @param mode the chain mode
 * @param keySize bytes of one sub-key, as the mode wants it: for xts both halves, for lrw with its
 *     16 tweak bytes
 * @param sectorSize bytes of an encryption sector: 512, 1024, 2048 or 4096
 */
public record SectorAlgorithm(String cipher, String mode, int keySize, int sectorSize) {
  /** The name in the kernel's crypto API: {@code xts(aes)}. */
  public String cryptoApiName() {
    return mode + "(" + cipher + ")";
  }
}
