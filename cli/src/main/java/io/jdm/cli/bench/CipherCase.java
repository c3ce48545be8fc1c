package io.jdm.cli.bench;

/**
 * One way to use a cipher.
 *
 * @param engine by name; a peer program for what is not ours
 * @param cipher as the user wrote it
 * @param keyBits of the whole key, for xts both halves, as cryptsetup counts them
 * @param sectorSize bytes that share an IV
 * @param requestBytes bytes given to the cipher at once
 * @param threads each with a cipher and a buffer of its own
 * @param direction encrypt or decrypt
 */
record CipherCase(
    String engine,
    String cipher,
    int keyBits,
    int sectorSize,
    int requestBytes,
    int threads,
    Direction direction) {

  /** The same with one thread. */
  CipherCase single() {
    return new CipherCase(engine, cipher, keyBits, sectorSize, requestBytes, 1, direction);
  }

  @Override
  public String toString() {
    return String.format(
        "%s %s %d bits, sectors of %d, requests of %d, %d threads, %s",
        engine, cipher, keyBits, sectorSize, requestBytes, threads, direction);
  }
}
