package io.jdm.crypt.cipher;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.TargetException;

/**
 * The cipher word of a crypt table, taken apart. Both grammars: {@code
 * cipher[:keycount]-chainmode-ivmode[:ivopts]} and {@code capi:SPEC-ivmode[:ivopts]} (source:
 * spec/dm-crypt.md section 2). The algorithm is one that {@link Ciphers} knows; the IV mode's name
 * is not looked at here.
 *
 * @param text the word as given, which is also how {@code table} prints it
 * @param cipher the kernel's name of the block cipher; for adiantum {@code xchacha12,aes}
 * @param mode the chain mode
 * @param keyCount sub-keys that take turns, a power of two
 * @param essivHash the hash whose digest of the key encrypts every IV, or null; set by the IV mode
 *     {@code essiv:HASH} and by {@code capi:essiv(...,HASH)}
 * @param ivMode the IV generator, or null for none: ecb has no use for one, and the capi grammar
 *     may leave it out, which makes all IVs zero. The mode {@code essiv} is {@code plain64} with an
 *     {@code essivHash}
 */
public record CipherSpec(
    String text, String cipher, String mode, int keyCount, String essivHash, String ivMode) {
  private static final String CAPI = "capi:";
  private static final String ESSIV = "essiv";
  private static final int LMK_KEYS = 64;
  private static final System.Logger LOG = System.getLogger(CipherSpec.class.getName());

  /** What {@code essiv} encrypts: the sector as {@code plain64} gives it. */
  private static final String ESSIV_COUNTER = "plain64";

  /**
   * Takes a cipher word apart.
   *
   * @throws TargetException with the kernel's words; for an unknown algorithm our own name what
   *     exists
   */
  public static CipherSpec parse(String text) throws TargetException {
    return text.startsWith(CAPI) ? parseCapi(text) : parseOld(text);
  }

  /** The name in the kernel's crypto API: {@code essiv(cbc(aes),sha256)}. */
  public String cryptoApiName() {
    String name = mode + "(" + cipher + ")";
    return essivHash == null ? name : ESSIV + "(" + name + "," + essivHash + ")";
  }

  /** Bytes of one sector's IV; 0 for ecb. */
  public int ivSize() {
    return Ciphers.ivSize(cipher, mode);
  }

  private static CipherSpec parseOld(String text) throws TargetException {
    if (text.indexOf('(') >= 0) {
      throw error(
          "Bad cipher specification",
          Arguments.show(text) + " has parentheses, which want capi: before it");
    }
    String[] parts = text.split("-", 3);
    String[] cipherAndCount = parts[0].split(":", 2);
    int keyCount = cipherAndCount.length == 1 ? 1 : parseKeyCount(cipherAndCount[1], text);
    String mode = parts.length > 1 ? parts[1] : null;
    String[] iv = parts.length > 2 ? parts[2].split(":", 2) : new String[] {null};
    String ivMode = iv[0];
    String ivOptions = iv.length > 1 ? iv[1] : null;
    if (mode == null || (mode.equals("plain") && ivMode == null)) {
      mode = "cbc";
      ivMode = "plain";
    }
    if (ivMode == null && !mode.equals("ecb")) {
      throw error(
          "IV mechanism required",
          Arguments.show(text) + " names none; expected " + mode + "-IVMODE");
    }
    return make(text, cipherAndCount[0], mode, keyCount, null, ivMode, ivOptions);
  }

  private static int parseKeyCount(String count, String text) throws TargetException {
    long value = Arguments.parseUnsigned(count);
    if (value < 1 || value > 1 << 30 || Long.bitCount(value) != 1) {
      throw error(
          "Bad cipher key count specification",
          Arguments.show(count) + " in " + Arguments.show(text) + " is not a power of two");
    }
    return (int) value;
  }

  private static CipherSpec parseCapi(String text) throws TargetException {
    String name = text.substring(CAPI.length());
    String ivOptions = null;
    String ivMode = null;
    int colon = name.lastIndexOf(':');
    if (colon >= 0) {
      ivOptions = name.substring(colon + 1);
      name = name.substring(0, colon);
    }
    int dash = name.lastIndexOf('-');
    if (dash >= 0) {
      ivMode = name.substring(dash + 1);
      name = name.substring(0, dash);
    }
    String hash = null;
    if (name.startsWith(ESSIV + "(") && name.endsWith(")") && name.indexOf(',') > 0) {
      int comma = name.lastIndexOf(',');
      hash = name.substring(comma + 1, name.length() - 1);
      name = name.substring(ESSIV.length() + 1, comma);
    }
    int open = name.indexOf('(');
    if (open < 0 || !name.endsWith(")")) {
      throw unknown(name, "expected MODE(CIPHER)");
    }
    int keyCount = "lmk".equals(ivMode) ? LMK_KEYS : 1;
    return make(
        text,
        name.substring(open + 1, name.length() - 1),
        name.substring(0, open),
        keyCount,
        hash,
        ivMode,
        ivOptions);
  }

  private static CipherSpec make(
      String text,
      String cipher,
      String mode,
      int keyCount,
      String wrappingHash,
      String ivMode,
      String ivOptions)
      throws TargetException {
    String hash = wrappingHash;
    String generator = ivMode;
    if (ESSIV.equals(ivMode)) {
      if (ivOptions == null) {
        throw error(
            "Digest algorithm missing for ESSIV mode",
            Arguments.show(text) + " has no hash after essiv:");
      }
      if (wrappingHash != null) {
        throw unknown(text, "essiv stands in it twice");
      }
      hash = ivOptions;
      generator = ESSIV_COUNTER;
    }
    if (!Ciphers.valid(cipher, mode)) {
      throw unknown(mode + "(" + cipher + ")", why(cipher, mode));
    }
    CipherSpec spec = new CipherSpec(text, cipher, mode, keyCount, hash, generator);
    if (hash != null && spec.ivSize() != Ciphers.blockSize(cipher)) {
      throw unknown(
          spec.cryptoApiName(), "essiv wants an IV of the cipher's block size, not " + mode + "'s");
    }
    if (generator != null && spec.ivSize() == 0) {
      LOG.log(System.Logger.Level.WARNING, "Selected cipher does not support IVs");
      return new CipherSpec(text, cipher, mode, keyCount, null, null);
    }
    return spec;
  }

  private static String why(String cipher, String mode) {
    if (!Ciphers.knownMode(mode)) {
      return "there is no mode "
          + Arguments.show(mode)
          + ", only "
          + String.join(", ", Ciphers.modes());
    }
    if (mode.equals("adiantum")) {
      return "adiantum wants one of "
          + String.join(", ", Ciphers.streamCiphers())
          + ", a comma and aes";
    }
    if (!Ciphers.known(cipher) || cipher.indexOf(',') >= 0) {
      return "there is no cipher "
          + Arguments.show(cipher)
          + ", only "
          + String.join(", ", Ciphers.names());
    }
    return mode
        + " does not go with the "
        + Ciphers.blockSize(cipher)
        + "-byte blocks of "
        + cipher;
  }

  private static TargetException error(String reason, String detail) {
    return new TargetException(Errno.EINVAL, reason, detail);
  }

  private static TargetException unknown(String name, String detail) {
    return new TargetException(
        Errno.ENOENT,
        "Error allocating crypto tfm",
        "no algorithm " + Arguments.show(name) + ": " + detail);
  }
}
