package io.jdm.volume;

import io.jdm.crypt.kdf.KdfMonitor;

/**
 * How a volume is unlocked.
 *
 * @param keyslot the only one to try, or {@link #ANY}
 * @param allowNullCipher whether a volume may open that encrypts nothing; whoever can write the
 *     header could make it one
 * @param monitor of the key derivations
 */
public record UnlockOptions(int keyslot, boolean allowNullCipher, KdfMonitor monitor) {
  /** Every keyslot, in the order of the format. */
  public static final int ANY = -1;

  /** Any keyslot, no null cipher, nobody watches. */
  public static final UnlockOptions DEFAULTS = new UnlockOptions(ANY, false, KdfMonitor.NONE);

  /** The same with another keyslot. */
  public UnlockOptions withKeyslot(int keyslot) {
    return new UnlockOptions(keyslot, allowNullCipher, monitor);
  }

  /** The same with or without null ciphers. */
  public UnlockOptions withNullCipher(boolean allowed) {
    return new UnlockOptions(keyslot, allowed, monitor);
  }

  /** The same with another monitor. */
  public UnlockOptions withMonitor(KdfMonitor monitor) {
    return new UnlockOptions(keyslot, allowNullCipher, monitor);
  }
}
