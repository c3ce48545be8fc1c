package io.jdm.crypt;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.cipher.CipherSpec;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Encrypts and decrypts small areas as a crypt target with sectors of 512 bytes and IVs from 0
 * would: what the keyslots of volume headers are. Thread-safe.
 */
public final class SectorCrypt {
  private SectorCrypt() {}

  /**
   * Checks a cipher and a key size as a crypt table does.
   *
   * @param cipher as in a crypt table: {@code aes-xts-plain64}
   * @param keySize bytes
   * @throws TargetException with the kernel's words if there is no such cipher or it takes no such
   *     key
   */
  public static void check(String cipher, int keySize) throws TargetException {
    config(cipher, keySize);
  }

  /**
   * Encrypts in place.
   *
   * @param cipher as in a crypt table
   * @param key stays the caller's
   * @param area whole sectors
   * @throws TargetException if there is no such cipher or it takes no such key
   */
  public static void encrypt(String cipher, KeyMaterial key, byte[] area) throws IOException {
    convert(cipher, key, area, Converter::encrypt);
  }

  /** Decrypts in place; otherwise as {@link #encrypt}. */
  public static void decrypt(String cipher, KeyMaterial key, byte[] area) throws IOException {
    convert(cipher, key, area, Converter::decrypt);
  }

  private interface Conversion {
    void apply(
        Converter converter,
        long sector,
        ByteBuffer src,
        int srcIndex,
        ByteBuffer dst,
        int dstIndex,
        int length)
        throws IOException;
  }

  private static void convert(String cipher, KeyMaterial key, byte[] area, Conversion conversion)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(area);
    try (ActiveKey active = new ActiveKey(config(cipher, key.size()), key.part(0, key.size()));
        Converter converter = active.lease()) {
      for (int done = 0; done < area.length; done += Converter.MAX_LENGTH) {
        int length = Math.min(Converter.MAX_LENGTH, area.length - done);
        conversion.apply(converter, Sectors.fromBytes(done), bytes, done, bytes, done, length);
      }
    }
  }

  private static CryptConfig config(String cipher, int keySize) throws TargetException {
    return CryptConfig.of(
        CipherSpec.parse(cipher), CryptOptions.NONE, keySize, Engines.installed(), null);
  }
}
