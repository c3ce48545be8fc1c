package io.jdm.crypt.cipher;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A keyed cipher that transforms runs of encryption sectors. Each sector starts afresh from its own
 * IV. Not thread-safe: leased to one worker at a time, dropped when the key is wiped.
 *
 * <p>Buffers are heap or direct, of either byte order; ranges lie below their limits, positions are
 * neither used nor changed. Source and destination may be the same buffer at the same index (in
 * place), otherwise they must not overlap.
 */
public interface SectorCipher extends AutoCloseable {
  /**
   * Encrypts {@code length / sectorSize} consecutive sectors.
   *
   * @param ivs the IVs of the sectors one after the other, each of the mode's IV size ({@code
   *     Ciphers.ivSize}); not changed
   * @param src data
   * @param srcIndex where it starts, in bytes
   * @param dst where the result goes
   * @param dstIndex where that starts, in bytes
   * @param length bytes, a multiple of the sector size
   * @throws IOException if the engine fails; the result is then undefined
   */
  void encrypt(byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException;

  /** Decrypts; the same rules. */
  void decrypt(byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
      throws IOException;

  /** Whether direct buffers are served best; heap buffers otherwise. */
  boolean prefersDirect();

  /** Wipes what it can of the key schedule and releases the rest. */
  @Override
  void close();
}
