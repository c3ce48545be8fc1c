package io.jdm.crypt.iv;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An IV generator with its keys: makes the IVs of runs of encryption sectors. What it counts is the
 * kernel's {@code iv_sector}: the 512-byte sector plus iv_offset, with {@code iv_large_sectors}
 * divided by the sectors of an encryption sector (source: spec/dm-crypt.md section 4).
 *
 * <p>Modes that also change data do so in the four hooks, which are called for every sector in
 * place, around the cipher. Not thread-safe: each worker has its own, dropped when the key is
 * wiped.
 */
public interface IvMode extends AutoCloseable {
  /**
   * Fills the IVs of {@code count} encryption sectors, one after the other from the array's start.
   *
   * @param sector the iv_sector of the first, any value (64 bits without sign)
   * @param step what the next one's is higher by
   * @param ivs receives {@code count} times the mode's IV size; all of these bytes are written
   */
  void fill(long sector, long step, int count, byte[] ivs) throws IOException;

  /** Whether the hooks do anything. If not, they need not be called. */
  default boolean touchesData() {
    return false;
  }

  /**
   * Sees the plaintext before it is encrypted; may change it and its IV.
   *
   * @param sector the iv_sector
   * @param data heap or direct; position and limit are not used
   * @param index where the encryption sector starts in {@code data}
   * @param ivIndex where its IV, already filled, starts in {@code ivs}
   */
  default void beforeEncrypt(long sector, ByteBuffer data, int index, byte[] ivs, int ivIndex) {}

  /** Changes the ciphertext after encryption. */
  default void afterEncrypt(long sector, ByteBuffer data, int index) {}

  /** Changes the ciphertext before it is decrypted. */
  default void beforeDecrypt(long sector, ByteBuffer data, int index) {}

  /** Changes the plaintext after decryption. */
  default void afterDecrypt(long sector, ByteBuffer data, int index) {}

  /** Wipes the mode's own keys. */
  @Override
  default void close() {}
}
