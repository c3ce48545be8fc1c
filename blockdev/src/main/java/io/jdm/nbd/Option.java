package io.jdm.nbd;

/** The options of the handshake that a client can send (spec/nbd.md section 1.1). */
enum Option {
  EXPORT_NAME(1),
  ABORT(2),
  LIST(3),
  STARTTLS(5),
  INFO(6),
  GO(7),
  STRUCTURED_REPLY(8),
  LIST_META_CONTEXT(9),
  SET_META_CONTEXT(10);

  final int number;

  Option(int number) {
    this.number = number;
  }

  /** The option of this number, or null. */
  static Option of(int number) {
    for (Option option : values()) {
      if (option.number == number) {
        return option;
      }
    }
    return null;
  }
}
