package io.jdm.crypt.engine.gcrypt;

import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.EngineException;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A mode of libgcrypt on native memory: the caller's own when its buffers are direct, else a small
 * scratch.
 */
abstract class GcryptSectorCipher implements SectorCipher {
  private static final int SCRATCH = 16 * 1024;

  final Gcrypt gcrypt;
  final LibGcrypt library;
  final int sectorSize;

  private final int ivSize;
  private ByteBuffer scratch;

  GcryptSectorCipher(Gcrypt gcrypt, SectorAlgorithm algorithm, int ivSize) {
    this.gcrypt = gcrypt;
    library = gcrypt.library();
    sectorSize = algorithm.sectorSize();
    this.ivSize = ivSize;
  }

  /** Encrypts sectors between addresses; the IVs start at {@code iv}. */
  abstract void encrypt(
      byte[] ivs, int iv, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws EngineException;

  /** Decrypts; the same rules. */
  abstract void decrypt(
      byte[] ivs, int iv, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws EngineException;

  @Override
  public void encrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException {
    transform(true, ivs, src, srcIndex, dst, dstIndex, length);
  }

  @Override
  public final void decrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException {
    transform(false, ivs, src, srcIndex, dst, dstIndex, length);
  }

  private void transform(
      boolean encrypt,
      byte[] ivs,
      ByteBuffer src,
      int srcIndex,
      ByteBuffer dst,
      int dstIndex,
      int length)
      throws EngineException {
    if (src.isDirect() && dst.isDirect()) {
      dispatch(encrypt, ivs, 0, src, srcIndex, dst, dstIndex, length);
      return;
    }
    if (scratch == null) {
      scratch = Gcrypt.allocate(SCRATCH);
    }
    for (int done = 0; done < length; done += SCRATCH) {
      int n = Math.min(SCRATCH, length - done);
      scratch.put(0, src, srcIndex + done, n);
      dispatch(encrypt, ivs, done / sectorSize * ivSize, scratch, 0, scratch, 0, n);
      dst.put(dstIndex + done, scratch, 0, n);
    }
  }

  private void dispatch(
      boolean encrypt,
      byte[] ivs,
      int iv,
      ByteBuffer src,
      int srcIndex,
      ByteBuffer dst,
      int dstIndex,
      int length)
      throws EngineException {
    try {
      if (encrypt) {
        encrypt(ivs, iv, src, srcIndex, dst, dstIndex, length);
      } else {
        decrypt(ivs, iv, src, srcIndex, dst, dstIndex, length);
      }
    } finally {
      // Native code knows them by address only.
      Reference.reachabilityFence(src);
      Reference.reachabilityFence(dst);
      Reference.reachabilityFence(this);
    }
  }

  final void check(int error) throws EngineException {
    gcrypt.check(error);
  }

  /** A little-endian word of a buffer in any byte order. */
  static long le64(ByteBuffer buffer, int index) {
    long word = buffer.getLong(index);
    return buffer.order() == ByteOrder.LITTLE_ENDIAN ? word : Long.reverseBytes(word);
  }

  static void le64(ByteBuffer buffer, int index, long word) {
    buffer.putLong(
        index, buffer.order() == ByteOrder.LITTLE_ENDIAN ? word : Long.reverseBytes(word));
  }

  @Override
  public final boolean prefersDirect() {
    return true;
  }

  @Override
  public void close() {
    if (scratch != null) {
      Gcrypt.wipe(scratch);
    }
  }
}
