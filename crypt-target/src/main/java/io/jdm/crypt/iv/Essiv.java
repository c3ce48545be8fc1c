package io.jdm.crypt.iv;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.kdf.Digests;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.security.MessageDigest;

/**
 * {@code essiv}: another mode's IVs, usually {@code plain64}'s, encrypted with the hash of the
 * sub-key (source: spec/dm-crypt.md section 4.4). The hash is taken over the whole sub-key, for xts
 * over both halves.
 */
public final class Essiv implements IvMode {
  private final IvMode inner;
  private final BlockCipher cipher;

  private Essiv(IvMode inner, BlockCipher cipher) {
    this.inner = inner;
    this.cipher = cipher;
  }

  /**
   * A type that encrypts the IVs of another.
   *
   * @param inner a mode that {@link IvType#countsOnly}
   * @param hash a name that {@link Digests} knows, whose size the cipher takes as a key
   */
  public static IvType over(IvType inner, String hash) {
    return new IvType("essiv") {
      @Override
      public IvMode create(IvKeys keys) throws IOException {
        String cipher = Ciphers.blockCipherOf(keys.geometry().cipher());
        try (KeyMaterial key = hash(hash, keys.subKey())) {
          return new Essiv(inner.create(keys), keys.blockCipher(cipher, key));
        }
      }
    };
  }

  private static KeyMaterial hash(String hash, KeyMaterial key) {
    MessageDigest digest = Digests.create(hash);
    digest.update(key.exposeBuffer());
    return KeyMaterial.moveFrom(digest.digest());
  }

  @Override
  public void fill(long sector, long step, int count, byte[] ivs) throws IOException {
    inner.fill(sector, step, count, ivs);
    cipher.encrypt(ivs, 0, ivs, 0, count * cipher.blockSize());
  }

  @Override
  public void close() {
    cipher.close();
    inner.close();
  }
}
