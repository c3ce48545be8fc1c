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

  /**
   * Decrypts all blocks as one CBC chain that starts from zeros: each result is the decrypted block
   * xor the block of {@code in} before it. Some libraries do this several times as fast as {@link
   * #decrypt}. Not in place: the arrays differ.
   */
  default void decryptCbc(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    decrypt(in, inOffset, out, outOffset, length);
    for (int i = blockSize(); i < length; i += 8) {
      int at = outOffset + i;
      long previous = Words.le64(in, inOffset + i - blockSize());
      Words.le64(out, at, Words.le64(out, at) ^ previous);
    }
  }

  /** Wipes what it can of the key schedule and releases the rest. */
  @Override
  void close();
}
