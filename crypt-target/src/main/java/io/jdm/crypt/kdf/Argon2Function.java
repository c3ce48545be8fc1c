package io.jdm.crypt.kdf;

/** One implementation of Argon2, version 0x13. Thread-safe. */
interface Argon2Function {
  /** What it is, for people. */
  String name();

  /** MiB that it could allocate now. */
  long availableMib();

  /** What those MiB are of, for messages. */
  String memoryKind();

  /** Fills {@code out}; the parameters were checked. */
  void derive(Argon2.Type type, byte[] password, byte[] salt, Argon2.Cost cost, byte[] out);
}
