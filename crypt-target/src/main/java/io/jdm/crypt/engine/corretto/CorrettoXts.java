package io.jdm.crypt.engine.corretto;

import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.jce.JceKey;
import io.jdm.crypt.key.KeyMaterial;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;

/**
 * AES-256-XTS, one sector a call, through heap arrays: the provider copies direct buffers itself.
 */
final class CorrettoXts implements SectorCipher {
  static final String TRANSFORMATION = "AES/XTS/NoPadding";

  private static final int IV = 16;

  private final JceKey key;
  private final Cipher cipher;
  private final int sectorSize;
  private final byte[] in;
  private final byte[] out;

  CorrettoXts(Provider provider, int sectorSize, KeyMaterial key) throws EngineException {
    this.key = new JceKey("AES", key);
    this.sectorSize = sectorSize;
    in = new byte[sectorSize];
    out = new byte[sectorSize];
    try {
      cipher = Cipher.getInstance(TRANSFORMATION, provider);
    } catch (GeneralSecurityException e) {
      this.key.destroy();
      throw new EngineException("corretto refuses " + TRANSFORMATION + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void encrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws EngineException {
    transform(Cipher.ENCRYPT_MODE, ivs, src, srcIndex, dst, dstIndex, length);
  }

  @Override
  public void decrypt(
      byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws EngineException {
    transform(Cipher.DECRYPT_MODE, ivs, src, srcIndex, dst, dstIndex, length);
  }

  private void transform(
      int mode, byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws EngineException {
    int iv = 0;
    try {
      for (int done = 0; done < length; done += sectorSize) {
        IvParameterSpec tweak = new IvParameterSpec(ivs, iv, IV);
        if (mode == Cipher.ENCRYPT_MODE) {
          // It refuses to encrypt twice running with one tweak, but a disk rewrites its sectors.
          cipher.init(Cipher.DECRYPT_MODE, key, tweak);
        }
        cipher.init(mode, key, tweak);
        src.get(srcIndex + done, in);
        cipher.doFinal(in, 0, sectorSize, out, 0);
        dst.put(dstIndex + done, out);
        iv += IV;
      }
    } catch (GeneralSecurityException e) {
      throw new EngineException("corretto fails: " + e.getMessage(), e);
    } finally {
      key.wipeCopies();
    }
  }

  @Override
  public boolean prefersDirect() {
    return false;
  }

  @Override
  public void close() {
    key.destroy();
    Arrays.fill(in, (byte) 0);
    Arrays.fill(out, (byte) 0);
  }
}
