package io.jdm.crypt.engine.corretto;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.jdk.JdkEngine;
import io.jdm.crypt.key.KeyMaterial;
import java.security.Provider;
import java.util.Arrays;

/**
 * Amazon Corretto Crypto Provider, when its artefact is on the class path. Of all its ciphers only
 * AES-256-XTS is of use here, and since every sector costs a call that makes the key schedule anew,
 * only large sectors are fast. It is found by reflection, so that nothing needs it.
 */
public final class CorrettoEngine implements Engine {
  private static final String PROVIDER =
      "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider";
  private static final int KEY_SIZE = 64;

  private Availability availability;
  private Provider provider;

  @Override
  public String name() {
    return "corretto";
  }

  @Override
  public Kind kind() {
    return Kind.PROVIDER;
  }

  @Override
  public synchronized Availability availability() {
    if (availability == null) {
      availability = load();
    }
    return availability;
  }

  private Availability load() {
    try {
      provider = (Provider) Class.forName(PROVIDER).getField("INSTANCE").get(null);
    } catch (ReflectiveOperationException e) {
      return Availability.missing("AmazonCorrettoCryptoProvider is not on the class path");
    } catch (LinkageError e) {
      return Availability.missing("its native library cannot be loaded: " + e.getMessage());
    }
    return provider.getService("Cipher", CorrettoXts.TRANSFORMATION) == null
        ? Availability.missing("version " + provider.getVersionStr() + " has no AES-XTS here")
        : Availability.of(provider.getVersionStr());
  }

  @Override
  public boolean supports(SectorAlgorithm algorithm) {
    return algorithm.cryptoApiName().equals("xts(aes)")
        && algorithm.keySize() == KEY_SIZE
        && availability().available();
  }

  @Override
  public boolean supportsBlock(String cipher, int keySize) {
    return false;
  }

  @Override
  public SectorCipher sectorCipher(SectorAlgorithm algorithm, KeyMaterial key)
      throws EngineException {
    if (!supports(algorithm) || key.size() != algorithm.keySize()) {
      throw new EngineException(
          "engine corretto has no "
              + algorithm.cryptoApiName()
              + " with a key of "
              + key.size()
              + " bytes");
    }
    return hasEqualHalves(key)
        ? new JdkEngine().sectorCipher(algorithm, key)
        : new CorrettoXts(provider, algorithm.sectorSize(), key);
  }

  /** Such a key is weak, but the kernel takes it; the library does not. */
  private static boolean hasEqualHalves(KeyMaterial key) {
    byte[] bytes = key.exposeBytes();
    try {
      return Arrays.equals(bytes, 0, KEY_SIZE / 2, bytes, KEY_SIZE / 2, KEY_SIZE);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  @Override
  public BlockCipher blockCipher(String cipher, KeyMaterial key) throws EngineException {
    throw new EngineException("engine corretto has no bare block ciphers");
  }

  @Override
  public String toString() {
    return name();
  }
}
