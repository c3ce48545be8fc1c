package io.jdm.volume;

import java.io.IOException;

/**
 * A volume's header, read and checked. It was read once: what others change on the device after
 * that is not seen. Unlocking reads keyslots from the device and never writes. Thread-safe.
 */
public interface Volume {
  /** {@code LUKS1}, {@code LUKS2}. */
  String format();

  /** As the header has it; empty for none. */
  String uuid();

  /**
   * Tries a key on all keyslots, also those that do not open the data.
   *
   * @return the slot and the key it gave; the caller closes it
   * @throws VolumeException {@code WRONG_KEY}, {@code NO_KEYSLOT}; {@code UNSUPPORTED} if no slot
   *     opened and one could not be tried
   * @throws io.jdm.crypt.kdf.KdfMemoryException if no slot opened and one could not be tried for
   *     lack of memory
   * @throws java.io.InterruptedIOException if the monitor ends it
   */
  VolumeKey verify(KeySource key, UnlockOptions options) throws IOException;

  /**
   * Gets all that the volume's table needs; otherwise as {@link #verify}.
   *
   * @throws VolumeException also {@code REFUSED} for a null cipher that nobody allowed, {@code
   *     UNSUPPORTED} for what the header requires and is not here, {@code DAMAGED} in the middle of
   *     a re-encryption step
   */
  UnlockedVolume unlock(KeySource key, UnlockOptions options) throws IOException;
}
