package io.jdm.crypt.iv;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * {@code eboiv}, BitLocker's: a block of zeros encrypted by the first sub-key's data cipher with
 * {@code sector * sector_size} as IV, modulo 2^64, little endian (source: spec/dm-crypt.md section
 * 4.9). For cbc and pcbc that is the bare encryption of the number.
 */
abstract class Eboiv implements IvMode {
  static final IvType TYPE =
      new IvType("eboiv") {
        @Override
        public void check(IvGeometry geometry) throws TargetException {
          checkBlockSize(geometry);
        }

        @Override
        public IvMode create(IvKeys keys) throws IOException {
          return Eboiv.create(keys);
        }
      };

  private final IvMode offsets;
  private final int sectorSize;

  private Eboiv(IvGeometry geometry) {
    this.offsets = new Plain64(geometry.ivSize(), -1L);
    this.sectorSize = geometry.sectorSize();
  }

  static void checkBlockSize(IvGeometry geometry) throws TargetException {
    if (geometry.blockSize() != geometry.ivSize()) {
      throw IvType.refusal(
          "eboiv wants a mode whose block size is its IV size; "
              + geometry.mode()
              + " has "
              + geometry.blockSize()
              + " and "
              + geometry.ivSize());
    }
  }

  static IvMode create(IvKeys keys) throws IOException {
    return switch (keys.geometry().mode()) {
      case "cbc", "pcbc" -> new Bare(keys);
      default -> new ThroughCipher(keys);
    };
  }

  @Override
  public final void fill(long sector, long step, int count, byte[] ivs) throws IOException {
    offsets.fill(sector * sectorSize, step * sectorSize, count, ivs);
    encrypt(count, ivs);
  }

  abstract void encrypt(int count, byte[] ivs) throws IOException;

  private static final class Bare extends Eboiv {
    private final BlockCipher cipher;

    Bare(IvKeys keys) throws IOException {
      super(keys.geometry());
      cipher = keys.blockCipher(keys.geometry().cipher(), keys.firstKey());
    }

    @Override
    void encrypt(int count, byte[] ivs) {
      cipher.encrypt(ivs, 0, ivs, 0, count * cipher.blockSize());
    }

    @Override
    public void close() {
      cipher.close();
    }
  }

  /** Of a whole sector of zeros only the first block is used: xts and lrw start with it. */
  private static final class ThroughCipher extends Eboiv {
    private final SectorCipher cipher;
    private final ByteBuffer zeros;
    private final ByteBuffer encrypted;
    private final byte[] iv;

    ThroughCipher(IvKeys keys) {
      super(keys.geometry());
      cipher = keys.firstCipher();
      zeros = ByteBuffer.allocate(keys.geometry().sectorSize());
      encrypted = ByteBuffer.allocate(zeros.capacity());
      iv = new byte[keys.geometry().ivSize()];
    }

    @Override
    void encrypt(int count, byte[] ivs) throws IOException {
      for (int i = 0; i < count; i++) {
        System.arraycopy(ivs, i * iv.length, iv, 0, iv.length);
        cipher.encrypt(iv, zeros, 0, encrypted, 0, zeros.capacity());
        encrypted.get(0, ivs, i * iv.length, iv.length);
      }
    }
  }
}
