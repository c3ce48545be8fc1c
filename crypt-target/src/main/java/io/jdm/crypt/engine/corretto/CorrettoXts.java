package io.jdm.crypt.engine.corretto;

import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.key.KeyMaterial;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;

/**
 * AES-256-XTS, one sector a call, through heap arrays: the provider copies direct buffers itself.
 * It asks for the key anew for every sector and keeps none of it afterwards.
 */
final class CorrettoXts implements SectorCipher {
  static final String TRANSFORMATION = "AES/XTS/NoPadding";

  private static final int IV = 16;

  private final OneKey key;
  private final OneIv tweak = new OneIv();
  private final Cipher cipher;
  private final int sectorSize;
  private final byte[] in;
  private final byte[] out;

  CorrettoXts(Provider provider, int sectorSize, KeyMaterial key) throws EngineException {
    try {
      cipher = Cipher.getInstance(TRANSFORMATION, provider);
    } catch (GeneralSecurityException e) {
      throw new EngineException("corretto refuses " + TRANSFORMATION + ": " + e.getMessage(), e);
    }
    this.key = new OneKey(key.exposeBytes());
    this.sectorSize = sectorSize;
    in = new byte[sectorSize];
    out = new byte[sectorSize];
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
        System.arraycopy(ivs, iv, tweak.bytes, 0, IV);
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
    }
  }

  @Override
  public boolean prefersDirect() {
    return false;
  }

  @Override
  public void close() {
    Arrays.fill(key.bytes, (byte) 0);
    Arrays.fill(in, (byte) 0);
    Arrays.fill(out, (byte) 0);
  }

  /** Hands out the same array at each call: a copy for every sector would be garbage. */
  private static final class OneKey implements SecretKey {
    private static final long serialVersionUID = 1L;

    private final transient byte[] bytes;

    OneKey(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public String getAlgorithm() {
      return "AES";
    }

    @Override
    public String getFormat() {
      return "RAW";
    }

    @Override
    public byte[] getEncoded() {
      return bytes;
    }

    private void writeObject(ObjectOutputStream out) throws NotSerializableException {
      throw new NotSerializableException("a key stays in memory");
    }
  }

  /** An IV that changes in place. */
  private static final class OneIv extends IvParameterSpec {
    private final byte[] bytes = new byte[IV];

    OneIv() {
      super(new byte[IV]);
    }

    @Override
    public byte[] getIV() {
      return bytes;
    }
  }
}
