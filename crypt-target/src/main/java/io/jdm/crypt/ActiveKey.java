package io.jdm.crypt;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.iv.IvGeometry;
import io.jdm.crypt.iv.IvKeys;
import io.jdm.crypt.iv.KeyLayout;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.crypt.key.KeyText;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A key in force, and all that is keyed with it: converters, lent to one worker at a time. Closing
 * wipes the key and drops every converter, those still lent when they come back.
 *
 * <p>Thread-safe. Lending and returning take no lock and, once warm, allocate nothing.
 */
final class ActiveKey implements AutoCloseable {
  /** Converters kept for the next borrower; a power of two. */
  private static final int KEPT = 64;

  /** Neighbouring threads start to look in different cache lines. */
  private static final int STRIDE = 17;

  private final CryptConfig config;
  private final KeyMaterial key;
  private final AtomicReferenceArray<Converter> idle = new AtomicReferenceArray<>(KEPT);
  private volatile boolean closed;

  /**
   * Keys the first converter, so that a key that is refused is refused here.
   *
   * @param key belongs to this from now on, also on failure
   * @throws TargetException with the kernel's words if the cipher or the IV mode refuses the key
   */
  ActiveKey(CryptConfig config, KeyMaterial key) throws TargetException {
    this.config = config;
    this.key = key;
    try {
      config.ivType().check(config.geometry());
      idle.set(0, create());
    } catch (TargetException e) {
      key.close();
      throw e;
    } catch (IOException e) {
      key.close();
      throw KeyText.keyError(e.getMessage());
    }
  }

  /** The key, for {@code table}; stays this object's. */
  KeyMaterial key() {
    return key;
  }

  /** A converter for the caller alone, who gives it back or closes it. */
  Converter lease() throws IOException {
    int first = first();
    for (int i = 0; i < KEPT; i++) {
      int slot = (first + i) & (KEPT - 1);
      if (idle.getPlain(slot) != null) {
        Converter converter = idle.getAndSet(slot, null);
        if (converter != null) {
          return converter;
        }
      }
    }
    return create();
  }

  /** Takes a converter back whose last call succeeded. */
  void giveBack(Converter converter) {
    int first = first();
    for (int i = 0; i < KEPT; i++) {
      int slot = (first + i) & (KEPT - 1);
      if (idle.getPlain(slot) == null && idle.compareAndSet(slot, null, converter)) {
        if (closed) {
          drop();
        }
        return;
      }
    }
    converter.close();
  }

  private static int first() {
    return (int) Thread.currentThread().getId() * STRIDE;
  }

  @Override
  public void close() {
    closed = true;
    drop();
    key.close();
  }

  private void drop() {
    for (int i = 0; i < KEPT; i++) {
      Converter converter = idle.getAndSet(i, null);
      if (converter != null) {
        converter.close();
      }
    }
  }

  private Converter create() throws IOException {
    KeyLayout layout = config.layout();
    Lane[] lanes = new Lane[config.spec().keyCount()];
    SectorCipher firstCipher = null;
    boolean complete = false;
    try (KeyMaterial firstKey = key.part(0, layout.subKeySize());
        KeyMaterial extraKey = key.part(layout.extraOffset(), layout.extraSize())) {
      for (int i = 0; i < lanes.length; i++) {
        try (KeyMaterial subKey = key.part(i * layout.subKeySize(), layout.subKeySize())) {
          SectorCipher cipher = config.engine().sectorCipher(config.algorithm(), subKey);
          firstCipher = i == 0 ? cipher : firstCipher;
          lanes[i] = lane(cipher, new Keys(config, subKey, firstKey, extraKey, firstCipher));
        }
      }
      complete = true;
    } finally {
      if (!complete) {
        for (Lane lane : lanes) {
          if (lane != null) {
            lane.close();
          }
        }
      }
    }
    return new Converter(lanes, config.sectorSize(), config.ivShift());
  }

  private Lane lane(SectorCipher cipher, IvKeys keys) throws IOException {
    try {
      return new Lane(
          cipher,
          config.ivType().create(keys),
          config.sectorSize(),
          config.geometry().ivSize(),
          Sectors.fromBytes(config.sectorSize()) >> config.ivShift(),
          config.spec().keyCount() == 1 ? Converter.MAX_LENGTH : config.sectorSize());
    } catch (IOException | RuntimeException | Error e) {
      cipher.close();
      throw e;
    }
  }

  private record Keys(
      CryptConfig config,
      KeyMaterial subKey,
      KeyMaterial firstKey,
      KeyMaterial extraKey,
      SectorCipher firstCipher)
      implements IvKeys {
    @Override
    public IvGeometry geometry() {
      return config.geometry();
    }

    @Override
    public BlockCipher blockCipher(String cipher, KeyMaterial key) throws EngineException {
      return config
          .engines()
          .selectBlock(config.engineName(), cipher, key.size())
          .blockCipher(cipher, key);
    }
  }
}
