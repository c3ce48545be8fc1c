package io.jdm.crypt.cipher;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What the kernel's crypto API knows about its ciphers and chain modes, by their names there: block
 * and IV sizes and which key sizes it takes. All sizes are bytes. Whether an engine has a cipher is
 * another question: {@code Engines.select}.
 *
 * <p>Methods about a cipher throw {@link IllegalArgumentException} for a name that is not {@link
 * #known}, those about a pair for one that is not {@link #valid}: ask first. For adiantum the
 * cipher is the stream cipher, a comma and the block cipher: {@code xchacha12,aes}.
 *
 * <p>Source: spec/dm-crypt.md sections 3.4 and 4.13; the key size limits are those of the kernel's
 * {@code crypto/*_generic.c}.
 */
public final class Ciphers {
  private static final int XTS_BLOCK = 16;
  private static final int ADIANTUM_KEY = 32;
  private static final int ADIANTUM_IV = 32;

  private static final Map<String, Facts> CIPHERS = new LinkedHashMap<>();

  static {
    put("aes", 16, 16, 32, 8);
    put("serpent", 16, 0, 32, 1);
    put("twofish", 16, 16, 32, 8);
    put("camellia", 16, 16, 32, 8);
    put("aria", 16, 16, 32, 8);
    put("sm4", 16, 16, 16, 1);
    put("cast5", 8, 5, 16, 1);
    put("cast6", 16, 16, 32, 4);
    put("blowfish", 8, 4, 56, 1);
    put("des", 8, 8, 8, 1);
    put("des3_ede", 8, 24, 24, 1);
    put("cipher_null", 1, 0, 0, 1);
  }

  private static final List<String> NAMES = List.copyOf(CIPHERS.keySet());
  private static final List<String> MODES =
      List.of("xts", "cbc", "ecb", "lrw", "ctr", "cfb", "ofb", "pcbc", "adiantum");
  private static final List<String> STREAM_CIPHERS = List.of("xchacha12", "xchacha20");

  private Ciphers() {}

  /** Block and key sizes of a block cipher; valid key sizes lie {@code keyStep} apart. */
  private record Facts(int blockSize, int minKeySize, int maxKeySize, int keyStep) {
    boolean validKeySize(int size) {
      return size >= minKeySize && size <= maxKeySize && (size - minKeySize) % keyStep == 0;
    }

    IntStream keySizes() {
      return IntStream.iterate(minKeySize, size -> size <= maxKeySize, size -> size + keyStep);
    }
  }

  private static void put(String name, int blockSize, int minKeySize, int maxKeySize, int keyStep) {
    CIPHERS.put(name, new Facts(blockSize, minKeySize, maxKeySize, keyStep));
  }

  /** The block ciphers, for help and messages. */
  public static List<String> names() {
    return NAMES;
  }

  /** The chain modes, for help and messages. */
  public static List<String> modes() {
    return MODES;
  }

  /** The stream ciphers that stand before the comma of an adiantum cipher. */
  public static List<String> streamCiphers() {
    return STREAM_CIPHERS;
  }

  /** Whether this is a block cipher, or a stream cipher and a block cipher as adiantum wants. */
  public static boolean known(String cipher) {
    return CIPHERS.containsKey(cipher) || isAdiantumPair(cipher);
  }

  /** Whether this is a chain mode. */
  public static boolean knownMode(String mode) {
    return MODES.contains(mode);
  }

  /**
   * Whether the kernel can make {@code mode(cipher)}: xts and lrw want blocks of 16 bytes, adiantum
   * its pair, cipher_null only goes with ecb.
   */
  public static boolean valid(String cipher, String mode) {
    if (!knownMode(mode)) {
      return false;
    }
    if (mode.equals("adiantum")) {
      return isAdiantumPair(cipher);
    }
    Facts facts = CIPHERS.get(cipher);
    if (facts == null) {
      return false;
    }
    return switch (mode) {
      case "xts", "lrw" -> facts.blockSize == XTS_BLOCK;
      case "ecb" -> true;
      default -> facts.blockSize > 1;
    };
  }

  private static boolean isAdiantumPair(String cipher) {
    int comma = cipher.indexOf(',');
    if (comma < 0 || !STREAM_CIPHERS.contains(cipher.substring(0, comma))) {
      return false;
    }
    Facts block = CIPHERS.get(cipher.substring(comma + 1));
    return block != null && block.blockSize == XTS_BLOCK && block.validKeySize(ADIANTUM_KEY);
  }

  /** The block cipher in an adiantum pair; any other name is returned as it is. */
  public static String blockCipherOf(String cipher) {
    return cipher.substring(cipher.indexOf(',') + 1);
  }

  /** Bytes of a block: 16, 8, or 1 for cipher_null. */
  public static int blockSize(String cipher) {
    return facts(cipher).blockSize;
  }

  /**
   * Bytes of a block as the mode reports it, which is what {@code benbi} counts: 1 for the modes
   * that work like stream ciphers (ctr, cfb, ofb), else the cipher's.
   */
  public static int blockSize(String cipher, String mode) {
    requireValid(cipher, mode);
    return switch (mode) {
      case "ctr", "cfb", "ofb" -> 1;
      default -> blockSize(cipher);
    };
  }

  /** Bytes of one sector's IV: 0 for ecb, 32 for adiantum, else the cipher's block. */
  public static int ivSize(String cipher, String mode) {
    requireValid(cipher, mode);
    return switch (mode) {
      case "ecb" -> 0;
      case "adiantum" -> ADIANTUM_IV;
      default -> blockSize(cipher);
    };
  }

  /** Whether the block cipher takes a key of so many bytes. */
  public static boolean validKeySize(String cipher, int keySize) {
    return facts(cipher).validKeySize(keySize);
  }

  /** Whether {@code mode(cipher)} takes a key of so many bytes. */
  public static boolean validKeySize(String cipher, String mode, int keySize) {
    requireValid(cipher, mode);
    return switch (mode) {
      case "xts" -> keySize % 2 == 0 && validKeySize(cipher, keySize / 2);
      case "lrw" -> validKeySize(cipher, keySize - XTS_BLOCK);
      case "adiantum" -> keySize == ADIANTUM_KEY;
      default -> validKeySize(cipher, keySize);
    };
  }

  /** The smallest key of the block cipher. */
  public static int minKeySize(String cipher) {
    return facts(cipher).minKeySize;
  }

  /** The largest key of the block cipher. */
  public static int maxKeySize(String cipher) {
    return facts(cipher).maxKeySize;
  }

  /** The key sizes that {@code mode(cipher)} takes, for messages: {@code 32, 48, 64 bytes}. */
  public static String keySizes(String cipher, String mode) {
    requireValid(cipher, mode);
    if (mode.equals("adiantum")) {
      return ADIANTUM_KEY + " bytes";
    }
    Facts facts = facts(cipher);
    int factor = mode.equals("xts") ? 2 : 1;
    int extra = mode.equals("lrw") ? XTS_BLOCK : 0;
    if (facts.keySizes().count() > 5) {
      String unit = factor == 2 ? " bytes, even" : " bytes";
      return (factor * facts.minKeySize + extra)
          + " to "
          + (factor * facts.maxKeySize + extra)
          + unit;
    }
    return facts
        .keySizes()
        .mapToObj(size -> String.valueOf(factor * size + extra))
        .collect(Collectors.joining(", ", "", " bytes"));
  }

  private static Facts facts(String cipher) {
    Facts facts = CIPHERS.get(blockCipherOf(cipher));
    if (facts == null) {
      throw new IllegalArgumentException("unknown cipher " + cipher);
    }
    return facts;
  }

  private static void requireValid(String cipher, String mode) {
    if (!valid(cipher, mode)) {
      throw new IllegalArgumentException("no such algorithm as " + mode + "(" + cipher + ")");
    }
  }
}
