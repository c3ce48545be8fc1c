package io.jdm.crypt.kdf;

import java.io.IOException;

/**
 * A key derivation wants more memory than there is; told before it starts, so that it is never
 * taken for a wrong passphrase.
 */
public final class KdfMemoryException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long neededMib;
  private final long availableMib;

  KdfMemoryException(long neededMib, long availableMib, String where) {
    super(
        "the key derivation needs "
            + neededMib
            + " MiB of memory, available are "
            + availableMib
            + " MiB "
            + where);
    this.neededMib = neededMib;
    this.availableMib = availableMib;
  }

  /** MiB that the cost in the header asks for, rounded up. */
  public long neededMib() {
    return neededMib;
  }

  /** MiB that could be had when it was asked. */
  public long availableMib() {
    return availableMib;
  }
}
