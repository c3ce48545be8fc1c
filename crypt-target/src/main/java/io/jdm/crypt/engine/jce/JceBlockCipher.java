package io.jdm.crypt.engine.jce;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.key.KeyMaterial;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.ShortBufferException;

/**
 * A block cipher of a JCA provider. The provider object is passed explicitly, never installed.
 *
 * <p>Closing wipes the copies of the key that the provider was given and keys its ciphers anew with
 * zeros. Providers written in Java (SunJCE) drop the old key schedule then, and it stays on the
 * heap until collected; native ones (Conscrypt) overwrite it.
 */
public class JceBlockCipher implements BlockCipher {
  private static final int IN_PLACE_PIECE = 4096;

  private final JceKey key;
  private final KeyMaterial zeros;
  private final int blockSize;
  private final AlgorithmParameterSpec start;
  private final Cipher encryptor;
  private final Cipher decryptor;
  private final byte[] inPlace = new byte[IN_PLACE_PIECE];

  /**
   * @param algorithm the provider's name: {@code AES}
   * @param blockSize bytes
   * @param decryption how blocks are decrypted: {@code ECB}, or {@code CBC} from zeros
   * @param start the IV for CBC, or null
   */
  protected JceBlockCipher(
      Provider provider,
      String algorithm,
      KeyMaterial key,
      int blockSize,
      String decryption,
      AlgorithmParameterSpec start)
      throws EngineException {
    this.blockSize = blockSize;
    this.start = start;
    this.key = new JceKey(algorithm, key);
    zeros = KeyMaterial.moveFrom(new byte[key.size()]);
    try {
      encryptor = Cipher.getInstance(algorithm + "/ECB/NoPadding", provider);
      encryptor.init(Cipher.ENCRYPT_MODE, this.key);
      decryptor = Cipher.getInstance(algorithm + "/" + decryption + "/NoPadding", provider);
      decryptor.init(Cipher.DECRYPT_MODE, this.key, start);
    } catch (GeneralSecurityException e) {
      this.key.destroy();
      throw new EngineException(
          provider.getName()
              + " refuses "
              + algorithm
              + " with a key of "
              + key.size()
              + " bytes: "
              + e.getMessage(),
          e);
    }
  }

  /** ECB both ways. */
  public JceBlockCipher(Provider provider, String algorithm, KeyMaterial key, int blockSize)
      throws EngineException {
    this(provider, algorithm, key, blockSize, "ECB", null);
  }

  @Override
  public final int blockSize() {
    return blockSize;
  }

  @Override
  public void encrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    update(encryptor, in, inOffset, out, outOffset, length);
  }

  @Override
  public void decrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    update(decryptor, in, inOffset, out, outOffset, length);
  }

  private void update(
      Cipher cipher, byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    if (in != out) {
      updateApart(cipher, in, inOffset, out, outOffset, length);
      return;
    }
    // In place, providers would allocate a copy of the input themselves.
    for (int done = 0; done < length; done += IN_PLACE_PIECE) {
      int n = Math.min(IN_PLACE_PIECE, length - done);
      System.arraycopy(in, inOffset + done, inPlace, 0, n);
      updateApart(cipher, inPlace, 0, out, outOffset + done, n);
    }
  }

  private static void updateApart(
      Cipher cipher, byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    try {
      int done = cipher.update(in, inOffset, length, out, outOffset);
      if (done != length) {
        throw new IllegalStateException(
            cipher.getAlgorithm() + " gave " + done + " bytes for " + length);
      }
    } catch (ShortBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  public void close() {
    key.destroy();
    JceKey zeroKey = new JceKey(key.getAlgorithm(), zeros);
    try {
      encryptor.init(Cipher.ENCRYPT_MODE, zeroKey);
      decryptor.init(Cipher.DECRYPT_MODE, zeroKey, start);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a cipher that took a key refuses zeros", e);
    } finally {
      Arrays.fill(inPlace, (byte) 0);
    }
  }
}
