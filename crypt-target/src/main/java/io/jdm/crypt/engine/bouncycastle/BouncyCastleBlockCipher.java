package io.jdm.crypt.engine.bouncycastle;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.util.Arrays;
import java.util.function.Supplier;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * One of Bouncy Castle's block ciphers, block after block.
 *
 * <p>Its key schedules stay on the heap until collected; closing keys them anew with zeros, which
 * overwrites or drops them.
 */
final class BouncyCastleBlockCipher implements BlockCipher {
  private final org.bouncycastle.crypto.BlockCipher encryptor;
  private final org.bouncycastle.crypto.BlockCipher decryptor;
  private final int blockSize;
  private final int keySize;

  BouncyCastleBlockCipher(Supplier<org.bouncycastle.crypto.BlockCipher> maker, KeyMaterial key) {
    encryptor = maker.get();
    decryptor = maker.get();
    blockSize = encryptor.getBlockSize();
    keySize = key.size();
    byte[] bytes = key.exposeBytes();
    try {
      setKey(bytes);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  private void setKey(byte[] bytes) {
    KeyParameter parameter = new KeyParameter(bytes);
    encryptor.init(true, parameter);
    decryptor.init(false, parameter);
    // KeyParameter copies and hands out its own array.
    Arrays.fill(parameter.getKey(), (byte) 0);
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public void encrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    for (int i = 0; i < length; i += blockSize) {
      encryptor.processBlock(in, inOffset + i, out, outOffset + i);
    }
  }

  @Override
  public void decrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    for (int i = 0; i < length; i += blockSize) {
      decryptor.processBlock(in, inOffset + i, out, outOffset + i);
    }
  }

  @Override
  public void close() {
    setKey(new byte[keySize]);
  }
}
