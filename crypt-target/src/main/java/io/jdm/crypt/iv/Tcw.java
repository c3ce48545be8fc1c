package io.jdm.crypt.iv;

import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.TargetException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * {@code tcw}, TrueCrypt's CBC with whitening: the IV is a seed xor the sector, and the ciphertext
 * is xored with 8 bytes made from the whitening key and the sector (source: spec/dm-crypt.md
 * section 4.8).
 */
final class Tcw implements IvMode {
  private static final int WHITENING_SIZE = 16;
  private static final int SECTOR_SIZE = 512;

  static final IvType TYPE =
      new IvType("tcw") {
        @Override
        public KeyLayout layout(IvGeometry geometry) {
          return KeyLayout.extraAtEnd(geometry, geometry.ivSize() + WHITENING_SIZE);
        }

        @Override
        public void check(IvGeometry geometry) throws TargetException {
          if (geometry.sectorSize() != SECTOR_SIZE) {
            throw refusal("Unsupported sector size for TCW: " + geometry.sectorSize());
          }
          if (geometry.keySize() <= geometry.ivSize() + WHITENING_SIZE) {
            throw refusal("Wrong key size for TCW: " + geometry.keySize());
          }
        }

        @Override
        public IvMode create(IvKeys keys) {
          return new Tcw(keys.geometry().ivSize(), keys.extraKey());
        }
      };

  private final byte[] seed;
  private final byte[] whitening = new byte[WHITENING_SIZE];
  private final byte[] scratch = new byte[WHITENING_SIZE];
  private final CRC32 crc = new CRC32();

  private Tcw(int ivSize, KeyMaterial extra) {
    seed = new byte[ivSize];
    ByteBuffer bytes = extra.exposeBuffer();
    bytes.get(0, seed);
    bytes.get(ivSize, whitening);
  }

  @Override
  public void fill(long sector, long step, int count, byte[] ivs) {
    long value = sector;
    int end = count * seed.length;
    for (int i = 0; i < end; i += seed.length) {
      for (int j = 0; j < seed.length; j += Long.BYTES) {
        Words.putLe(ivs, i + j, Words.getLe(seed, j) ^ value);
      }
      value += step;
    }
  }

  @Override
  public boolean touchesData() {
    return true;
  }

  @Override
  public void afterEncrypt(long sector, ByteBuffer data, int index) {
    whiten(sector, data, index);
  }

  @Override
  public void beforeDecrypt(long sector, ByteBuffer data, int index) {
    whiten(sector, data, index);
  }

  private void whiten(long sector, ByteBuffer data, int index) {
    Words.putLe(scratch, 0, Words.getLe(whitening, 0) ^ sector);
    Words.putLe(scratch, 8, Words.getLe(whitening, 8) ^ sector);
    // The kernel's CRC has neither the JDK's initial value nor its final inversion; for four bytes
    // the results differ by a constant, which the two xors below cancel.
    int first = crc(0) ^ crc(12);
    int second = crc(4) ^ crc(8);
    long mask = (second & 0xffffffffL) << 32 | (first & 0xffffffffL);
    for (int i = 0; i < SECTOR_SIZE; i += Long.BYTES) {
      Words.putLe(data, index + i, Words.getLe(data, index + i) ^ mask);
    }
  }

  private int crc(int offset) {
    crc.reset();
    crc.update(scratch, offset, Integer.BYTES);
    return (int) crc.getValue();
  }

  @Override
  public void close() {
    Arrays.fill(seed, (byte) 0);
    Arrays.fill(whitening, (byte) 0);
    Arrays.fill(scratch, (byte) 0);
  }
}
