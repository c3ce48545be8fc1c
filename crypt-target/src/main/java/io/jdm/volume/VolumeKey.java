package io.jdm.volume;

import io.jdm.crypt.key.KeyMaterial;

/**
 * A key that a keyslot gave and a digest proved. Owns the key.
 *
 * @param keyslot that gave it; -1 if it was given itself
 * @param key wiped on close
 */
public record VolumeKey(int keyslot, KeyMaterial key) implements AutoCloseable {
  @Override
  public void close() {
    key.close();
  }
}
