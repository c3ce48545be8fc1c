package io.jdm.crypt.cipher;

import io.jdm.crypt.key.KeyMaterial;
import java.util.Arrays;

/**
 * The keys that adiantum derives from the one it is given (spec/dm-crypt.md section 4.14): 1136
 * bytes of key stream for a block cipher, two polynomial hashes and NH. Wiped on close.
 */
public final class AdiantumKey implements AutoCloseable {
  private static final int BLOCK_CIPHER_KEY = 32;
  private static final int HEADER_KEY = BLOCK_CIPHER_KEY;
  private static final int DATA_KEY = HEADER_KEY + 16;
  private static final int NH_KEY = DATA_KEY + 16;
  private static final int SIZE = NH_KEY + Nh.KEY;

  private final String streamCipher;
  private final byte[] key;
  private final byte[] derived;

  private AdiantumKey(String streamCipher, byte[] key) {
    this.streamCipher = streamCipher;
    this.key = key;
    int blocks = (SIZE + ChaCha.BLOCK - 1) / ChaCha.BLOCK;
    XChaCha stream = new XChaCha(streamCipher, key, blocks);
    byte[] nonce = new byte[16];
    nonce[0] = 1;
    derived = new byte[SIZE];
    stream.mask(nonce, 0, new byte[SIZE], derived, 1, SIZE, SIZE);
    stream.wipe();
  }

  /**
   * Derives.
   *
   * @param cipher of the algorithm: {@code xchacha12,aes}
   * @param key 32 bytes
   */
  public static AdiantumKey derive(String cipher, KeyMaterial key) {
    return new AdiantumKey(cipher.substring(0, cipher.indexOf(',')), key.exposeBytes());
  }

  /** The block cipher's key; the caller closes it. */
  public KeyMaterial blockCipherKey() {
    return KeyMaterial.moveFrom(Arrays.copyOf(derived, BLOCK_CIPHER_KEY));
  }

  XChaCha stream(int maximumLanes) {
    return new XChaCha(streamCipher, key, maximumLanes);
  }

  Poly1305 headerHash() {
    return new Poly1305(derived, HEADER_KEY);
  }

  Poly1305 dataHash() {
    return new Poly1305(derived, DATA_KEY);
  }

  Nh nh() {
    return new Nh(derived, NH_KEY);
  }

  @Override
  public void close() {
    Arrays.fill(key, (byte) 0);
    Arrays.fill(derived, (byte) 0);
  }
}
