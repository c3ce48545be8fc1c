package io.jdm.crypt.cipher;

import java.nio.ByteBuffer;

/** {@code cipher_null}: the data as it is. */
final class NullCipher implements SectorCipher {
  @Override
  public void encrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length) {
    dst.put(dstIndex, src, srcIndex, length);
  }

  @Override
  public void decrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length) {
    encrypt(ivs, src, srcIndex, dst, dstIndex, length);
  }

  @Override
  public boolean prefersDirect() {
    return true;
  }

  @Override
  public void close() {}
}
