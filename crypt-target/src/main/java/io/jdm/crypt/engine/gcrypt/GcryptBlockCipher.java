package io.jdm.crypt.engine.gcrypt;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.key.KeyMaterial;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A block cipher of libgcrypt in bulk. Up to 1.10 its ECB works block by block, but CFB and CBC
 * decryption are vectorised for every cipher, three to six times as fast (AES 5 against 1.6 GB/s,
 * Camellia 0.42 against 0.10). Both are made of independent block operations that can be had back
 * with one xor:
 *
 * <ul>
 *   <li>CFB decrypts Y<sub>j</sub> to {@code Y_j xor E(Y_(j-1))}: given the blocks to encrypt and a
 *       zero block behind them, result j+1 is {@code E(Y_j) xor Y_(j+1)};
 *   <li>CBC decrypts X<sub>j</sub> to {@code D(X_j) xor X_(j-1)}.
 * </ul>
 */
final class GcryptBlockCipher implements BlockCipher {
  private static final int PIECE = 16 * 1024;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Gcrypt gcrypt;
  private final LibGcrypt library;
  private final int blockSize;
  private final ByteBuffer given;
  private final ByteBuffer result;
  private final long givenAddress;
  private final long resultAddress;
  private long cfb;
  private long cbc;

  GcryptBlockCipher(Gcrypt gcrypt, String cipher, KeyMaterial key) throws EngineException {
    this.gcrypt = gcrypt;
    library = gcrypt.library();
    blockSize = Ciphers.blockSize(cipher);
    // A zero block in front for CBC's IV and one behind for CFB.
    given = Gcrypt.allocate(PIECE + 2 * blockSize);
    result = Gcrypt.allocate(PIECE + blockSize);
    givenAddress = Gcrypt.address(given);
    resultAddress = Gcrypt.address(result);
    cfb = gcrypt.open(cipher, key.size(), Gcrypt.MODE_CFB, key);
    try {
      cbc = gcrypt.open(cipher, key.size(), Gcrypt.MODE_CBC, key);
    } catch (EngineException e) {
      library.gcry_cipher_close(cfb);
      throw e;
    }
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public void encrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    for (int done = 0; done < length; done += PIECE) {
      int n = Math.min(PIECE, length - done);
      given.put(blockSize, in, inOffset + done, n);
      zero(blockSize + n);
      int size = n + blockSize;
      check(library.gcry_cipher_decrypt(cfb, resultAddress, size, givenAddress + blockSize, size));
      int to = outOffset + done;
      for (int i = 0; i < n; i += Long.BYTES) {
        long masked = result.getLong(blockSize + i);
        LONG.set(out, to + i, masked ^ given.getLong(2 * blockSize + i));
      }
    }
  }

  private void zero(int block) {
    for (int i = 0; i < blockSize; i += Long.BYTES) {
      given.putLong(block + i, 0);
    }
  }

  @Override
  public void decrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    for (int done = 0; done < length; done += PIECE) {
      int n = Math.min(PIECE, length - done);
      startCbc();
      decryptCbcPiece(in, inOffset + done, n);
      int to = outOffset + done;
      for (int i = 0; i < n; i += Long.BYTES) {
        LONG.set(out, to + i, result.getLong(i) ^ given.getLong(i));
      }
    }
  }

  @Override
  public void decryptCbc(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    startCbc();
    for (int done = 0; done < length; done += PIECE) {
      int n = Math.min(PIECE, length - done);
      decryptCbcPiece(in, inOffset + done, n);
      result.get(0, out, outOffset + done, n);
    }
  }

  /** The zero block in front of what is given is the IV, and masks the first block with nothing. */
  private void startCbc() {
    check(library.gcry_cipher_setiv(cbc, givenAddress, blockSize));
  }

  private void decryptCbcPiece(byte[] in, int inOffset, int n) {
    given.put(blockSize, in, inOffset, n);
    try {
      check(library.gcry_cipher_decrypt(cbc, resultAddress, n, givenAddress + blockSize, n));
    } finally {
      Reference.reachabilityFence(given);
    }
  }

  private void check(int error) {
    try {
      gcrypt.check(error);
    } catch (EngineException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    if (cfb != 0) {
      library.gcry_cipher_close(cfb);
      library.gcry_cipher_close(cbc);
      cfb = 0;
      cbc = 0;
    }
    Gcrypt.wipe(given);
    Gcrypt.wipe(result);
  }
}
