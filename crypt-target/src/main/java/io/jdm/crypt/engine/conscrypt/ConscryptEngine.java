package io.jdm.crypt.engine.conscrypt;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.engine.ComposedEngine;
import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.jdk.JdkEngine;
import io.jdm.crypt.key.KeyMaterial;
import java.security.Provider;
import org.conscrypt.Conscrypt;

/**
 * Google's BoringSSL for Java: AES in bulk on every platform that its jar has natives for. Its
 * provider is used as an object and never installed.
 */
public final class ConscryptEngine extends ComposedEngine {
  private final Engine jdk = new JdkEngine();
  private Provider provider;

  @Override
  public String name() {
    return "conscrypt";
  }

  @Override
  public Kind kind() {
    return Kind.PROVIDER;
  }

  @Override
  protected Availability load() {
    try {
      Conscrypt.checkAvailability();
      provider = Conscrypt.newProvider();
      Conscrypt.Version version = Conscrypt.version();
      return Availability.of(version.major() + "." + version.minor() + "." + version.patch());
    } catch (NoClassDefFoundError e) {
      return Availability.missing("conscrypt-openjdk-uber is not on the class path");
    } catch (LinkageError e) {
      return Availability.missing("its native library does not load: " + e.getMessage());
    }
  }

  @Override
  protected boolean hasBlockCipher(String cipher, int keySize) {
    return cipher.equals("aes") && jdk.supportsBlock(cipher, keySize);
  }

  @Override
  protected BlockCipher newBlockCipher(String cipher, KeyMaterial key) throws EngineException {
    BlockCipher forShortRuns = jdk.blockCipher(cipher, key);
    try {
      return new ConscryptAes(provider, key, forShortRuns);
    } catch (EngineException | RuntimeException e) {
      forShortRuns.close();
      throw e;
    }
  }
}
