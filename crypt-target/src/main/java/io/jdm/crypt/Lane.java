package io.jdm.crypt;

import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.iv.IvMode;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One sub-key's data cipher and IV mode. Not thread-safe. */
final class Lane implements AutoCloseable {
  private final SectorCipher cipher;
  private final IvMode ivMode;
  private final int sectorSize;
  private final int ivSize;
  private final long step;
  private final byte[] ivs;

  /**
   * @param step between the iv_sectors of neighbouring encryption sectors
   * @param maxLength bytes that one call converts at most
   */
  Lane(SectorCipher cipher, IvMode ivMode, int sectorSize, int ivSize, long step, int maxLength) {
    this.cipher = cipher;
    this.ivMode = ivMode;
    this.sectorSize = sectorSize;
    this.ivSize = ivSize;
    this.step = step;
    this.ivs = new byte[maxLength / sectorSize * ivSize];
  }

  /** Encrypts sectors whose first has this iv_sector. */
  void encrypt(
      long ivSector, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException {
    int count = length / sectorSize;
    ivMode.fill(ivSector, step, count, ivs);
    if (!ivMode.touchesData()) {
      cipher.encrypt(ivs, src, srcIndex, dst, dstIndex, length);
      return;
    }
    dst.put(dstIndex, src, srcIndex, length);
    for (int i = 0; i < count; i++) {
      ivMode.beforeEncrypt(ivSector + i * step, dst, dstIndex + i * sectorSize, ivs, i * ivSize);
    }
    cipher.encrypt(ivs, dst, dstIndex, dst, dstIndex, length);
    for (int i = 0; i < count; i++) {
      ivMode.afterEncrypt(ivSector + i * step, dst, dstIndex + i * sectorSize);
    }
  }

  /** Decrypts sectors whose first has this iv_sector. */
  void decrypt(
      long ivSector, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException {
    int count = length / sectorSize;
    ivMode.fill(ivSector, step, count, ivs);
    if (!ivMode.touchesData()) {
      cipher.decrypt(ivs, src, srcIndex, dst, dstIndex, length);
      return;
    }
    dst.put(dstIndex, src, srcIndex, length);
    for (int i = 0; i < count; i++) {
      ivMode.beforeDecrypt(ivSector + i * step, dst, dstIndex + i * sectorSize);
    }
    cipher.decrypt(ivs, dst, dstIndex, dst, dstIndex, length);
    for (int i = 0; i < count; i++) {
      ivMode.afterDecrypt(ivSector + i * step, dst, dstIndex + i * sectorSize);
    }
  }

  @Override
  public void close() {
    ivMode.close();
    cipher.close();
  }
}
