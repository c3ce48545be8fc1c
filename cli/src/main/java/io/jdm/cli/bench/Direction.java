package io.jdm.cli.bench;

import java.util.Locale;

/** Which way a cipher works. */
enum Direction {
  ENCRYPT,
  DECRYPT;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
