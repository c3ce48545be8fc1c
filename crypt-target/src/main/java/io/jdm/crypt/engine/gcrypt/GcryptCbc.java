package io.jdm.crypt.engine.gcrypt;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.ChainModes;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * CBC. A run of sectors is decrypted as one chain in a single native call, after which the first
 * block of each sector is set right. Encryption of several sectors is composed, one block of every
 * sector at a time, since libgcrypt's own cannot use the CPU's pipeline; that of a few is its own.
 */
final class GcryptCbc extends GcryptSectorCipher {
  private static final int RUN = 64 * 1024;
  private static final int FEW_SECTORS = 4;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final int blockSize;
  private final SectorCipher composed;
  private final ByteBuffer iv;
  private final long ivAddress;

  /** What the first block of each sector still has to be masked with. */
  private final long[] masks;

  private long handle;

  /**
   * @param blocks the same cipher with the same key; closed with this
   */
  GcryptCbc(Gcrypt gcrypt, SectorAlgorithm algorithm, KeyMaterial key, BlockCipher blocks)
      throws EngineException {
    super(gcrypt, algorithm, Ciphers.blockSize(algorithm.cipher()));
    blockSize = blocks.blockSize();
    composed = ChainModes.plain("cbc", sectorSize, blocks);
    iv = Gcrypt.allocate(blockSize);
    ivAddress = Gcrypt.address(iv);
    masks = new long[RUN / sectorSize * (blockSize / Long.BYTES)];
    handle = gcrypt.open(algorithm.cipher(), key.size(), Gcrypt.MODE_CBC, key);
  }

  @Override
  public void encrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException {
    if (length < FEW_SECTORS * sectorSize) {
      super.encrypt(ivs, src, srcIndex, dst, dstIndex, length);
    } else {
      composed.encrypt(ivs, src, srcIndex, dst, dstIndex, length);
    }
  }

  @Override
  void encrypt(
      byte[] ivs,
      int ivIndex,
      ByteBuffer src,
      int srcIndex,
      ByteBuffer dst,
      int dstIndex,
      int length)
      throws EngineException {
    long from = Gcrypt.address(src) + srcIndex;
    long to = Gcrypt.address(dst) + dstIndex;
    int at = ivIndex;
    for (int done = 0; done < length; done += sectorSize) {
      iv.put(0, ivs, at, blockSize);
      check(library.gcry_cipher_setiv(handle, ivAddress, blockSize));
      check(library.gcry_cipher_encrypt(handle, to + done, sectorSize, from + done, sectorSize));
      at += blockSize;
    }
  }

  @Override
  void decrypt(
      byte[] ivs,
      int ivIndex,
      ByteBuffer src,
      int srcIndex,
      ByteBuffer dst,
      int dstIndex,
      int length)
      throws EngineException {
    long from = Gcrypt.address(src) + srcIndex;
    long to = Gcrypt.address(dst) + dstIndex;
    for (int word = 0; word < blockSize; word += Long.BYTES) {
      iv.putLong(word, 0);
    }
    int at = ivIndex;
    for (int done = 0; done < length; done += RUN) {
      int n = Math.min(RUN, length - done);
      collectMasks(ivs, at, src, srcIndex + done, n);
      check(library.gcry_cipher_setiv(handle, ivAddress, blockSize));
      check(library.gcry_cipher_decrypt(handle, to + done, n, from + done, n));
      applyMasks(dst, dstIndex + done, n);
      at += n / sectorSize * blockSize;
    }
  }

  /** Before the call: in place, it overwrites the blocks that the chain went through. */
  private void collectMasks(byte[] ivs, int ivIndex, ByteBuffer src, int srcIndex, int length) {
    int mask = 0;
    for (int sector = 0; sector < length; sector += sectorSize) {
      for (int word = 0; word < blockSize; word += Long.BYTES) {
        long chained = sector == 0 ? 0 : le64(src, srcIndex + sector - blockSize + word);
        masks[mask] = chained ^ (long) LONG.get(ivs, ivIndex + mask * Long.BYTES);
        mask++;
      }
    }
  }

  private void applyMasks(ByteBuffer dst, int dstIndex, int length) {
    int mask = 0;
    for (int sector = dstIndex; sector < dstIndex + length; sector += sectorSize) {
      for (int word = 0; word < blockSize; word += Long.BYTES) {
        le64(dst, sector + word, le64(dst, sector + word) ^ masks[mask++]);
      }
    }
  }

  @Override
  public void close() {
    super.close();
    composed.close();
    Arrays.fill(masks, 0);
    if (handle != 0) {
      library.gcry_cipher_close(handle);
      handle = 0;
    }
  }
}
