package io.jdm.crypt.engine.gcrypt;

import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.key.KeyMaterial;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * libgcrypt's XTS, one call a sector. After each call the library counts the IV up by one, as its
 * manual says, so the IVs of plain64 need setting only at the start of a request.
 */
final class GcryptXts extends GcryptSectorCipher {
  private static final int IV = 16;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final ByteBuffer ivBuffer = Gcrypt.allocate(IV);
  private final long ivAddress = Gcrypt.address(ivBuffer);
  private long handle;

  /** The IV that the library will use next, if {@link #ivKnown}. */
  private long nextLow;

  private long nextHigh;
  private boolean ivKnown;

  GcryptXts(Gcrypt gcrypt, SectorAlgorithm algorithm, KeyMaterial key) throws EngineException {
    super(gcrypt, algorithm, IV);
    handle = gcrypt.open(algorithm.cipher(), algorithm.keySize() / 2, Gcrypt.MODE_XTS, key);
  }

  @Override
  void encrypt(
      byte[] ivs, int iv, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws EngineException {
    long from = Gcrypt.address(src) + srcIndex;
    long to = Gcrypt.address(dst) + dstIndex;
    int at = iv;
    for (int done = 0; done < length; done += sectorSize) {
      setIv(ivs, at);
      check(library.gcry_cipher_encrypt(handle, to + done, sectorSize, from + done, sectorSize));
      at += IV;
    }
  }

  @Override
  void decrypt(
      byte[] ivs, int iv, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws EngineException {
    long from = Gcrypt.address(src) + srcIndex;
    long to = Gcrypt.address(dst) + dstIndex;
    int at = iv;
    for (int done = 0; done < length; done += sectorSize) {
      setIv(ivs, at);
      check(library.gcry_cipher_decrypt(handle, to + done, sectorSize, from + done, sectorSize));
      at += IV;
    }
  }

  private void setIv(byte[] ivs, int at) throws EngineException {
    long low = (long) LONG.get(ivs, at);
    long high = (long) LONG.get(ivs, at + Long.BYTES);
    if (!ivKnown || low != nextLow || high != nextHigh) {
      ivBuffer.putLong(0, low);
      ivBuffer.putLong(Long.BYTES, high);
      check(library.gcry_cipher_setiv(handle, ivAddress, IV));
      ivKnown = true;
    }
    nextLow = low + 1;
    nextHigh = nextLow == 0 ? high + 1 : high;
  }

  @Override
  public void close() {
    super.close();
    if (handle != 0) {
      library.gcry_cipher_close(handle);
      handle = 0;
    }
  }
}
