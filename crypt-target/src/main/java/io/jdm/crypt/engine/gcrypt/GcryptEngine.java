package io.jdm.crypt.engine.gcrypt;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.ComposedEngine;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.key.KeyMaterial;

/**
 * The system's libgcrypt, called through jnr-ffi. Its XTS for AES and its CBC decryption work on
 * the caller's direct buffers; everything else is composed over bulk calls, which for most of its
 * ciphers is several times as fast as its own modes ({@link GcryptBlockCipher}).
 */
public final class GcryptEngine extends ComposedEngine {
  private Gcrypt gcrypt;

  @Override
  public String name() {
    return "gcrypt";
  }

  @Override
  public Kind kind() {
    return Kind.NATIVE;
  }

  @Override
  protected Availability load() {
    try {
      gcrypt = Gcrypt.load();
      return Availability.of(gcrypt.version());
    } catch (EngineException e) {
      return Availability.missing(e.getMessage());
    } catch (NoClassDefFoundError e) {
      return Availability.missing("jnr-ffi is not on the class path");
    } catch (LinkageError e) {
      return Availability.missing("libgcrypt.so.20 is not on this system");
    }
  }

  @Override
  protected boolean hasBlockCipher(String cipher, int keySize) {
    return gcrypt.has(cipher, keySize);
  }

  @Override
  protected BlockCipher newBlockCipher(String cipher, KeyMaterial key) throws EngineException {
    return new GcryptBlockCipher(gcrypt, cipher, key);
  }

  @Override
  protected SectorCipher nativeSectorCipher(SectorAlgorithm algorithm, KeyMaterial key)
      throws EngineException {
    if (algorithm.cryptoApiName().equals("xts(aes)")) {
      return new GcryptXts(gcrypt, algorithm, key);
    }
    if (algorithm.mode().equals("cbc") && gcrypt.has(algorithm.cipher(), key.size())) {
      return new GcryptCbc(gcrypt, algorithm, key, newBlockCipher(algorithm.cipher(), key));
    }
    return null;
  }
}
