package io.jdm.cli.bench;

/** What a dd of the article's test reads and writes. */
enum Side {
  UNENCRYPTED("unencrypted"),
  ENCRYPTED("encrypted"),
  GNU_DD("GNU dd");

  private final String words;

  Side(String words) {
    this.words = words;
  }

  @Override
  public String toString() {
    return words;
  }
}
