package io.jdm.crypt.engine.bouncycastle;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.engine.ComposedEngine;
import io.jdm.crypt.key.KeyMaterial;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.security.CodeSource;
import java.util.Map;
import java.util.function.Supplier;
import java.util.jar.JarFile;
import org.bouncycastle.crypto.engines.AESEngine;
import org.bouncycastle.crypto.engines.ARIAEngine;
import org.bouncycastle.crypto.engines.BlowfishEngine;
import org.bouncycastle.crypto.engines.CAST5Engine;
import org.bouncycastle.crypto.engines.CAST6Engine;
import org.bouncycastle.crypto.engines.CamelliaEngine;
import org.bouncycastle.crypto.engines.DESEngine;
import org.bouncycastle.crypto.engines.DESedeEngine;
import org.bouncycastle.crypto.engines.SM4Engine;
import org.bouncycastle.crypto.engines.SerpentEngine;
import org.bouncycastle.crypto.engines.TwofishEngine;

/**
 * Bouncy Castle's lightweight ciphers: pure Java, every cipher there is. No provider is installed.
 */
public final class BouncyCastleEngine extends ComposedEngine {
  @Override
  public String name() {
    return "bouncycastle";
  }

  @Override
  public Kind kind() {
    return Kind.JAVA;
  }

  @Override
  protected Availability load() {
    try {
      return Availability.of(version(Ciphers.BY_NAME.get("aes").get().getClass()));
    } catch (LinkageError e) {
      return Availability.missing("bcprov is not on the class path (" + e.getMessage() + ")");
    }
  }

  /** What its jar's manifest says: asking the provider would load all of it. */
  private static String version(Class<?> sample) {
    CodeSource source = sample.getProtectionDomain().getCodeSource();
    if (source != null) {
      try (JarFile jar = new JarFile(new File(source.getLocation().toURI()))) {
        String version = jar.getManifest().getMainAttributes().getValue("Bundle-Version");
        if (version != null) {
          return version;
        }
      } catch (IOException | URISyntaxException | IllegalArgumentException e) {
        return "of unknown version";
      }
    }
    return "of unknown version";
  }

  @Override
  protected boolean hasBlockCipher(String cipher, int keySize) {
    return Ciphers.BY_NAME.containsKey(cipher);
  }

  @Override
  protected BlockCipher newBlockCipher(String cipher, KeyMaterial key) {
    return new BouncyCastleBlockCipher(Ciphers.BY_NAME.get(cipher), key);
  }

  /** Apart, so that the engine can be made when Bouncy Castle's classes are not there. */
  private static final class Ciphers {
    static final Map<String, Supplier<org.bouncycastle.crypto.BlockCipher>> BY_NAME =
        Map.ofEntries(
            Map.entry("aes", AESEngine::newInstance),
            Map.entry("serpent", SerpentEngine::new),
            Map.entry("twofish", TwofishEngine::new),
            Map.entry("camellia", CamelliaEngine::new),
            Map.entry("aria", ARIAEngine::new),
            Map.entry("sm4", SM4Engine::new),
            Map.entry("cast5", CAST5Engine::new),
            Map.entry("cast6", CAST6Engine::new),
            Map.entry("blowfish", BlowfishEngine::new),
            Map.entry("des", DESEngine::new),
            Map.entry("des3_ede", DESedeEngine::new));
  }
}
