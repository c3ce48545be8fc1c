package io.jdm.cli.bench;

import java.util.Locale;

/** Which way data goes. */
enum Transfer {
  WRITE,
  READ;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
