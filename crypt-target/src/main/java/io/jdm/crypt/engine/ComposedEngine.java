package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.AdiantumKey;
import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.ChainModes;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.util.Arrays;

/**
 * An engine that has block ciphers; chain modes are composed over them in Java. A subclass that has
 * a native mode returns it from {@link #nativeSectorCipher}.
 *
 * <p>Serpent keys of any size reach the subclass as the 32 bytes that the cipher pads them to.
 */
public abstract class ComposedEngine implements Engine {
  private static final int LRW_TWEAK_KEY = 16;
  private static final int SERPENT_KEY = 32;

  private Availability availability;

  /** Loads what the engine needs. Called once. */
  protected abstract Availability load();

  /**
   * Whether there is such a block cipher.
   *
   * @param cipher a block cipher that {@link Ciphers} knows, not cipher_null
   * @param keySize bytes, valid for the cipher
   */
  protected abstract boolean hasBlockCipher(String cipher, int keySize);

  /** Makes a block cipher that {@link #hasBlockCipher} said there is. */
  protected abstract BlockCipher newBlockCipher(String cipher, KeyMaterial key)
      throws EngineException;

  /** A sector cipher that is better than a composed one, or null. */
  protected SectorCipher nativeSectorCipher(SectorAlgorithm algorithm, KeyMaterial key)
      throws EngineException {
    return null;
  }

  @Override
  public final synchronized Availability availability() {
    if (availability == null) {
      availability = load();
    }
    return availability;
  }

  @Override
  public final boolean supports(SectorAlgorithm algorithm) {
    String cipher = algorithm.cipher();
    String mode = algorithm.mode();
    if (!Ciphers.valid(cipher, mode) || !Ciphers.validKeySize(cipher, mode, algorithm.keySize())) {
      return false;
    }
    String block = Ciphers.blockCipherOf(cipher);
    return block.equals("cipher_null")
        ? availability().available()
        : supportsBlock(block, blockKeySize(mode, algorithm.keySize()));
  }

  /** Bytes of the block cipher's key in a key of the mode. */
  static int blockKeySize(String mode, int keySize) {
    return switch (mode) {
      case "xts" -> keySize / 2;
      case "lrw" -> keySize - LRW_TWEAK_KEY;
      default -> keySize;
    };
  }

  @Override
  public final boolean supportsBlock(String cipher, int keySize) {
    return Ciphers.names().contains(cipher)
        && !cipher.equals("cipher_null")
        && Ciphers.validKeySize(cipher, keySize)
        && availability().available()
        && hasBlockCipher(cipher, cipher.equals("serpent") ? SERPENT_KEY : keySize);
  }

  @Override
  public final BlockCipher blockCipher(String cipher, KeyMaterial key) throws EngineException {
    if (!supportsBlock(cipher, key.size())) {
      throw new EngineException(
          "engine " + name() + " has no " + cipher + " with a key of " + key.size() + " bytes");
    }
    if (cipher.equals("serpent") && key.size() < SERPENT_KEY) {
      try (KeyMaterial padded = padSerpentKey(key)) {
        return newBlockCipher(cipher, padded);
      }
    }
    return newBlockCipher(cipher, key);
  }

  private static KeyMaterial padSerpentKey(KeyMaterial key) {
    byte[] bytes = key.exposeBytes();
    try {
      byte[] padded = Arrays.copyOf(bytes, SERPENT_KEY);
      padded[bytes.length] = 1;
      return KeyMaterial.moveFrom(padded);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  @Override
  public final SectorCipher sectorCipher(SectorAlgorithm algorithm, KeyMaterial key)
      throws EngineException {
    if (key.size() != algorithm.keySize() || !supports(algorithm)) {
      throw new EngineException(
          "engine "
              + name()
              + " has no "
              + algorithm.cryptoApiName()
              + " with a key of "
              + key.size()
              + " bytes");
    }
    SectorCipher own = nativeSectorCipher(algorithm, key);
    return own != null ? own : compose(algorithm, key);
  }

  private SectorCipher compose(SectorAlgorithm algorithm, KeyMaterial key) throws EngineException {
    int sectorSize = algorithm.sectorSize();
    String cipher = algorithm.cipher();
    int keySize = key.size();
    if (cipher.equals("cipher_null")) {
      return ChainModes.none();
    }
    switch (algorithm.mode()) {
      case "xts" -> {
        try (KeyMaterial first = key.part(0, keySize / 2);
            KeyMaterial second = key.part(keySize / 2, keySize / 2)) {
          BlockCipher data = blockCipher(cipher, first);
          try {
            return ChainModes.xts(sectorSize, data, blockCipher(cipher, second));
          } catch (EngineException | RuntimeException e) {
            data.close();
            throw e;
          }
        }
      }
      case "lrw" -> {
        int blockKeySize = blockKeySize("lrw", keySize);
        try (KeyMaterial first = key.part(0, blockKeySize);
            KeyMaterial second = key.part(blockKeySize, LRW_TWEAK_KEY)) {
          byte[] tweakKey = second.exposeBytes();
          try {
            return ChainModes.lrw(sectorSize, blockCipher(cipher, first), tweakKey);
          } finally {
            Arrays.fill(tweakKey, (byte) 0);
          }
        }
      }
      case "adiantum" -> {
        try (AdiantumKey keys = AdiantumKey.derive(cipher, key);
            KeyMaterial blockKey = keys.blockCipherKey()) {
          String block = Ciphers.blockCipherOf(cipher);
          return ChainModes.adiantum(sectorSize, keys, blockCipher(block, blockKey));
        }
      }
      default -> {
        return ChainModes.plain(algorithm.mode(), sectorSize, blockCipher(cipher, key));
      }
    }
  }

  @Override
  public final String toString() {
    return name();
  }
}
