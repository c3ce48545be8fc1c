package io.jdm.crypt.engine.jdk;

import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.jce.JceBlockCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.Provider;
import java.util.Arrays;
import javax.crypto.spec.IvParameterSpec;

/**
 * AES of the JDK. HotSpot pipelines its CBC decryption, but on most CPUs not its ECB (engines.md),
 * so blocks are decrypted as one endless CBC chain: {@code D(X) = CBC(X) xor block before X}. The
 * chain is never started anew; the last block given is remembered instead.
 */
final class JdkAes extends JceBlockCipher {
  private static final int BLOCK = 16;
  private static final int PIECE = 8 * 1024;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** The block before, then the blocks of a piece. */
  private final byte[] shifted = new byte[BLOCK + PIECE];

  JdkAes(Provider provider, KeyMaterial key) throws EngineException {
    super(provider, "AES", key, BLOCK, "CBC", new IvParameterSpec(new byte[BLOCK]));
  }

  @Override
  public void decrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    for (int done = 0; done < length; done += PIECE) {
      int n = Math.min(PIECE, length - done);
      System.arraycopy(in, inOffset + done, shifted, BLOCK, n);
      super.decrypt(shifted, BLOCK, out, outOffset + done, n);
      unchain(out, outOffset + done, n);
      System.arraycopy(shifted, n, shifted, 0, BLOCK);
    }
  }

  private void unchain(byte[] out, int outOffset, int length) {
    if (outOffset == 0) {
      // The same index in both arrays lets C2 vectorise.
      for (int i = 0; i < length; i++) {
        out[i] ^= shifted[i];
      }
      return;
    }
    for (int i = 0; i < length; i += Long.BYTES) {
      int at = outOffset + i;
      LONG.set(out, at, (long) LONG.get(out, at) ^ (long) LONG.get(shifted, i));
    }
  }

  @Override
  public void decryptCbc(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    super.decrypt(in, inOffset, out, outOffset, length);
    for (int word = 0; word < BLOCK; word += Long.BYTES) {
      int at = outOffset + word;
      LONG.set(out, at, (long) LONG.get(out, at) ^ (long) LONG.get(shifted, word));
    }
    System.arraycopy(in, inOffset + length - BLOCK, shifted, 0, BLOCK);
  }

  @Override
  public void close() {
    super.close();
    Arrays.fill(shifted, (byte) 0);
  }
}
