package io.jdm.crypt;

import io.jdm.mapper.Arguments;
import io.jdm.mapper.TargetException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The optional words at the end of a crypt table (source: spec/dm-crypt.md section 1.1).
 *
 * @param flags the words without a value
 * @param integrityTagSize bytes of metadata that each sector has below, or 0
 * @param integrityType {@code aead} or {@code none} as given, or null
 * @param integrityKeySize bytes of the MAC part of the key, or 0 for the digest's size
 * @param sectorSize bytes of an encryption sector: 512, 1024, 2048 or 4096
 */
record CryptOptions(
    Set<Flag> flags,
    int integrityTagSize,
    String integrityType,
    int integrityKeySize,
    int sectorSize) {
  static final CryptOptions NONE = new CryptOptions(EnumSet.noneOf(Flag.class), 0, null, 0, 512);

  private static final int MAX_OPTIONS = 9;
  private static final int MAX_TAG_SIZE = 480;
  private static final int MIN_SECTOR_SIZE = 512;
  private static final int MAX_SECTOR_SIZE = 4096;
  private static final String INTEGRITY = "integrity:";
  private static final String INTEGRITY_KEY_SIZE = "integrity_key_size:";
  private static final String SECTOR_SIZE = "sector_size:";
  private static final String BAD_WORD = "Invalid feature arguments";

  /** A word without a value, in the order in which {@code table} prints them. */
  enum Flag {
    /** Discards are passed down; they show which sectors are unused to who sees the disk. */
    ALLOW_DISCARDS,
    /** No worker helps: the thread that asks does the crypto. */
    SAME_CPU_CRYPT,
    /** The workers have the highest thread priority. */
    HIGH_PRIORITY,
    /** Workers write what they encrypted at once, not in the order of sectors. */
    SUBMIT_FROM_CRYPT_CPUS,
    /** Reads are decrypted by the thread that asks. */
    NO_READ_WORKQUEUE,
    /** Writes are encrypted and written by the thread that asks. */
    NO_WRITE_WORKQUEUE,
    /** The IV counts encryption sectors instead of 512-byte sectors. */
    IV_LARGE_SECTORS;

    private final String word = name().toLowerCase(Locale.ROOT);

    private static Flag of(String word) {
      for (Flag flag : values()) {
        if (flag.word.equalsIgnoreCase(word)) {
          return flag;
        }
      }
      return null;
    }
  }

  /**
   * Reads the count and the words it counts; words behind them are ignored.
   *
   * @param length of the target in 512-byte sectors, which must be a multiple of the sector size
   */
  static CryptOptions parse(Arguments arguments, long length) throws TargetException {
    if (arguments.remaining() == 0) {
      return NONE;
    }
    String badCount = "Invalid number of feature args";
    int most = Math.min(MAX_OPTIONS, arguments.remaining() - 1);
    long count = arguments.nextNumber("number of optional words", badCount, 0, most);
    Set<Flag> flags = EnumSet.noneOf(Flag.class);
    int tagSize = 0;
    String type = null;
    int macKeySize = 0;
    int sectorSize = MIN_SECTOR_SIZE;
    for (long i = 0; i < count; i++) {
      String word = arguments.next("optional word", badCount);
      Flag flag = Flag.of(word);
      if (flag != null) {
        flags.add(flag);
      } else if (word.startsWith(INTEGRITY)) {
        int colon = word.indexOf(':', INTEGRITY.length());
        tagSize = integrityTagSize(arguments, word, colon);
        type = word.substring(colon + 1);
      } else if (word.startsWith(INTEGRITY_KEY_SIZE)) {
        macKeySize = integrityKeySize(arguments, word);
      } else if (word.startsWith(SECTOR_SIZE)) {
        sectorSize = sectorSize(arguments, word, length);
      } else {
        throw arguments.error(BAD_WORD, "there is no optional word " + Arguments.show(word));
      }
    }
    return new CryptOptions(flags, tagSize, type, macKeySize, sectorSize);
  }

  private static int integrityTagSize(Arguments arguments, String word, int colon)
      throws TargetException {
    long bytes =
        colon < 0 ? -1 : Arguments.parseUnsigned(word.substring(INTEGRITY.length(), colon));
    if (bytes < 1 || bytes > MAX_TAG_SIZE) {
      throw arguments.error(
          "Invalid integrity arguments",
          Arguments.show(word)
              + " is not integrity:BYTES:TYPE with 1 to "
              + MAX_TAG_SIZE
              + " bytes");
    }
    String type = word.substring(colon + 1);
    if (!type.equalsIgnoreCase("aead") && !type.equalsIgnoreCase("none")) {
      throw arguments.error(
          "Unknown integrity profile",
          Arguments.show(type) + " in " + Arguments.show(word) + " is not aead or none");
    }
    return (int) bytes;
  }

  private static int integrityKeySize(Arguments arguments, String word) throws TargetException {
    long bytes = Arguments.parseUnsigned(word.substring(INTEGRITY_KEY_SIZE.length()));
    if (bytes < 1 || bytes > Integer.MAX_VALUE) {
      throw arguments.error(
          "Invalid integrity_key_size argument",
          Arguments.show(word) + " names no number of bytes above 0");
    }
    return (int) bytes;
  }

  private static int sectorSize(Arguments arguments, String word, long length)
      throws TargetException {
    long bytes = Arguments.parseUnsigned(word.substring(SECTOR_SIZE.length()));
    if (bytes < 0) {
      throw arguments.error(BAD_WORD, Arguments.show(word) + " names no number of bytes");
    }
    if (bytes < MIN_SECTOR_SIZE || bytes > MAX_SECTOR_SIZE || Long.bitCount(bytes) != 1) {
      throw arguments.error(
          "Invalid feature value for sector_size",
          Arguments.show(word) + " is not a power of two from 512 to 4096");
    }
    if (length % (bytes / MIN_SECTOR_SIZE) != 0) {
      throw arguments.error(
          "Device size is not multiple of sector_size feature",
          "the target has " + length + " sectors of 512 bytes, sector_size is " + bytes);
    }
    return (int) bytes;
  }

  boolean has(Flag flag) {
    return flags.contains(flag);
  }

  /** Whether the table asks for authenticated encryption. */
  boolean isAead() {
    return integrityType != null && integrityType.equalsIgnoreCase("aead");
  }

  /** 512-byte sectors of an encryption sector. */
  int sectorsPerBlock() {
    return sectorSize / MIN_SECTOR_SIZE;
  }

  /** What {@code table} prints after the device's offset: a space, count and words, or nothing. */
  String table() {
    List<String> words = new ArrayList<>();
    for (Flag flag : flags) {
      if (flag != Flag.IV_LARGE_SECTORS) {
        words.add(flag.word);
      }
    }
    if (integrityTagSize > 0) {
      words.add(INTEGRITY + integrityTagSize + ":" + integrityType);
    }
    if (sectorSize != MIN_SECTOR_SIZE) {
      words.add(SECTOR_SIZE + sectorSize);
    }
    if (has(Flag.IV_LARGE_SECTORS)) {
      words.add(Flag.IV_LARGE_SECTORS.word);
    }
    if (integrityKeySize > 0) {
      words.add(INTEGRITY_KEY_SIZE + integrityKeySize);
    }
    return words.isEmpty() ? "" : " " + words.size() + " " + String.join(" ", words);
  }
}
