package io.jdm.crypt.cipher;

/**
 * A keyed block cipher applied to many independent blocks at once (ECB): what IV generators and
 * composed chain modes are built from. Not thread-safe.
 */
public interface BlockCipher extends AutoCloseable {
  /** Bytes of a block; a power of two. */
  int blockSize();

  /**
   * Encrypts {@code length / blockSize()} independent blocks. In place only if both array and
   * offset are the same.
   *
   * @param length bytes, a multiple of the block size
   */
  void encrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length);

  /** Decrypts; the same rules. */
  void decrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length);

  /** Wipes what it can of the key schedule and releases the rest. */
  @Override
  void close();
}
