package io.jdm.crypt.cipher;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A chain mode in Java over a block cipher that takes many blocks at once. Requests are cut into
 * runs of sectors that fit the CPU's caches; a subclass transforms one run from array to array.
 *
 * <p>Runs are powers of two and the arrays exactly as long as the run, because Conscrypt's native
 * code copies whole arrays however little of them it is given (engines.md).
 */
abstract class ChainMode implements SectorCipher {
  /**
   * Bytes of a run where all blocks are independent: its arrays still fit the first-level cache,
   * and a native call is worth its cost. 16 KiB is as good on CPUs with larger caches.
   */
  static final int PARALLEL_RUN = 8 * 1024;

  /**
   * Bytes of a run where blocks of a sector depend on each other and the mode works on one block of
   * each sector at a time: long enough to give the block cipher work, short enough for the caches.
   */
  static final int SERIAL_RUN = 64 * 1024;

  final int sectorSize;
  final int blockSize;
  final BlockCipher cipher;

  private final int ivSize;
  private final int maximumRun;
  private final byte[][] inputs = new byte[Integer.SIZE][];
  private final byte[][] outputs = new byte[Integer.SIZE][];
  private final byte[][] works = new byte[Integer.SIZE][];

  /**
   * @param sectorSize bytes
   * @param cipher keyed; closed with this
   * @param ivSize bytes of a sector's IV
   * @param maximumRun bytes, a power of two, at least a sector
   */
  ChainMode(int sectorSize, BlockCipher cipher, int ivSize, int maximumRun) {
    this.sectorSize = sectorSize;
    this.blockSize = cipher.blockSize();
    this.cipher = cipher;
    this.ivSize = ivSize;
    this.maximumRun = maximumRun;
  }

  /**
   * Encrypts a run.
   *
   * @param ivs of the sectors, the first at {@code iv}; not changed
   * @param in the run; may be overwritten
   * @param out of the same length
   */
  abstract void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out);

  /** Decrypts a run; the same rules. */
  abstract void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out);

  @Override
  public final void encrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length) {
    transform(true, ivs, src, srcIndex, dst, dstIndex, length);
  }

  @Override
  public final void decrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length) {
    transform(false, ivs, src, srcIndex, dst, dstIndex, length);
  }

  private void transform(
      boolean encrypt,
      byte[] ivs,
      ByteBuffer src,
      int srcIndex,
      ByteBuffer dst,
      int dstIndex,
      int length) {
    int iv = 0;
    int done = 0;
    while (done < length) {
      int run = Integer.highestOneBit(Math.min(length - done, maximumRun));
      byte[] in = array(inputs, run);
      byte[] out = array(outputs, run);
      src.get(srcIndex + done, in);
      if (encrypt) {
        encryptRun(ivs, iv, in, out);
      } else {
        decryptRun(ivs, iv, in, out);
      }
      dst.put(dstIndex + done, out);
      iv += run / sectorSize * ivSize;
      done += run;
    }
  }

  /** A third array as long as the run. */
  final byte[] work(int run) {
    return array(works, run);
  }

  private static byte[] array(byte[][] bySize, int run) {
    int size = Integer.numberOfTrailingZeros(run);
    byte[] array = bySize[size];
    if (array == null) {
      array = new byte[run];
      bySize[size] = array;
    }
    return array;
  }

  @Override
  public final boolean prefersDirect() {
    return false;
  }

  @Override
  public void close() {
    cipher.close();
    wipe(inputs);
    wipe(outputs);
    wipe(works);
  }

  private static void wipe(byte[][] arrays) {
    for (byte[] array : arrays) {
      if (array != null) {
        Arrays.fill(array, (byte) 0);
      }
    }
  }
}
