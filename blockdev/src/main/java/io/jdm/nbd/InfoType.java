package io.jdm.nbd;

/** The kinds of information about an export (spec/nbd.md section 1.3). */
enum InfoType {
  EXPORT(0),
  NAME(1),
  DESCRIPTION(2),
  BLOCK_SIZE(3);

  /** Bytes of the payloads of fixed length, with the type. */
  static final int EXPORT_LENGTH = 12;

  static final int BLOCK_SIZE_LENGTH = 14;

  final int number;

  InfoType(int number) {
    this.number = number;
  }
}
