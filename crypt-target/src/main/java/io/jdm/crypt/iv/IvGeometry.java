package io.jdm.crypt.iv;

/**
 * The sizes of a table that IV modes depend on, in bytes.
 *
 * @param cipher the kernel's name of the cipher
 * @param mode the chain mode
 * @param ivSize of the chain mode; 0 for ecb, which goes with no IV mode
 * @param blockSize as the chain mode reports it: 1 for ctr, cfb and ofb
 * @param sectorSize of an encryption sector
 * @param keySize of the whole key, for all sub-keys and the IV mode together
 * @param keyCount sub-keys, a power of two
 */
public record IvGeometry(
    String cipher,
    String mode,
    int ivSize,
    int blockSize,
    int sectorSize,
    int keySize,
    int keyCount) {}
