package io.jdm.crypt.engine.jdk;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.engine.ComposedEngine;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.jce.JceBlockCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.security.Provider;
import java.security.Security;
import java.util.Map;

/** The JDK's own ciphers: always there, and cheaper to call than any other. */
public final class JdkEngine extends ComposedEngine {
  private static final String PROVIDER = "SunJCE";

  /** SunJCE's names; Blowfish keys under 5 bytes are refused there. */
  private static final Map<String, String> ALGORITHMS =
      Map.of("aes", "AES", "blowfish", "Blowfish", "des", "DES", "des3_ede", "DESede");

  private static final int MIN_BLOWFISH_KEY = 5;

  private Provider provider;

  @Override
  public String name() {
    return "jdk";
  }

  @Override
  public Kind kind() {
    return Kind.PROVIDER;
  }

  @Override
  protected Availability load() {
    provider = Security.getProvider(PROVIDER);
    return provider == null
        ? Availability.missing("this Java runtime has no provider " + PROVIDER)
        : Availability.of(Runtime.version().toString());
  }

  @Override
  protected boolean hasBlockCipher(String cipher, int keySize) {
    return ALGORITHMS.containsKey(cipher)
        && !(cipher.equals("blowfish") && keySize < MIN_BLOWFISH_KEY);
  }

  @Override
  protected BlockCipher newBlockCipher(String cipher, KeyMaterial key) throws EngineException {
    return cipher.equals("aes")
        ? new JdkAes(provider, key)
        : new JceBlockCipher(provider, ALGORITHMS.get(cipher), key, Ciphers.blockSize(cipher));
  }
}
