package io.jdm.crypt;

import io.jdm.blockdev.Sectors;
import io.jdm.blockdev.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Encrypts and decrypts for one worker at a time: a cipher and an IV mode for every sub-key, and a
 * page-aligned buffer for the ciphertext; the kernel's {@code crypt_convert}. Not thread-safe.
 */
final class Converter implements AutoCloseable {
  /** Bytes that one call converts at most; a multiple of every sector size. */
  static final int MAX_LENGTH = 128 * 1024;

  private static final int MIN_BUFFER = 8 * 1024;

  private final Lane[] lanes;
  private final int sectorSize;
  private final int ivShift;
  private ByteBuffer buffer = BufferPool.allocateAligned(MIN_BUFFER);

  /**
   * @param lanes one for each sub-key; closed with this
   * @param sectorSize bytes of an encryption sector
   * @param ivShift how far the sector's number is shifted to the right for the IV
   */
  Converter(Lane[] lanes, int sectorSize, int ivShift) {
    this.lanes = lanes;
    this.sectorSize = sectorSize;
    this.ivShift = ivShift;
  }

  /** The buffer, from 0 to a limit of {@code length} bytes; content undefined. */
  ByteBuffer buffer(int length) {
    if (buffer.capacity() < length) {
      BufferPool.zero(buffer);
      buffer = BufferPool.allocateAligned(MAX_LENGTH);
    }
    return buffer.clear().limit(length);
  }

  /**
   * Encrypts whole sectors.
   *
   * @param firstSector the kernel's {@code cc_sector} of the first: 512-byte sectors from the start
   *     of the target, plus iv_offset
   * @param length up to {@link #MAX_LENGTH}
   */
  void encrypt(
      long firstSector, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException {
    int run = lanes.length == 1 ? length : sectorSize;
    for (int done = 0; done < length; done += run) {
      long sector = firstSector + (done >>> Sectors.SHIFT);
      lane(sector).encrypt(sector >>> ivShift, src, srcIndex + done, dst, dstIndex + done, run);
    }
  }

  /** Decrypts whole sectors; otherwise as {@link #encrypt}. */
  void decrypt(
      long firstSector, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException {
    int run = lanes.length == 1 ? length : sectorSize;
    for (int done = 0; done < length; done += run) {
      long sector = firstSector + (done >>> Sectors.SHIFT);
      lane(sector).decrypt(sector >>> ivShift, src, srcIndex + done, dst, dstIndex + done, run);
    }
  }

  /** Sub-keys take turns by the 512-byte sector, which is never shifted for this. */
  private Lane lane(long sector) {
    return lanes[(int) sector & (lanes.length - 1)];
  }

  @Override
  public void close() {
    for (Lane lane : lanes) {
      lane.close();
    }
    BufferPool.zero(buffer);
  }
}
