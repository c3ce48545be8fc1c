package io.jdm.cli.dd;

import io.jdm.cli.session.Quote;
import java.math.BigInteger;

/**
 * A number of dd's operands: decimal digits with an optional suffix ({@code c w b}, {@code kB K
 * KiB} and so on up to {@code Y}), products {@code NxM}, and a final {@code B} that says bytes
 * where blocks would be meant.
 *
 * @param value from 0 on
 * @param bytes whether a {@code B} was in it
 */
public record DdNumber(long value, boolean bytes) {
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);
  private static final String POWERS = "KMGTPEZY";

  /**
   * Parses a number of at least {@code min}.
   *
   * @throws DdException with GNU dd's words
   */
  public static DdNumber parse(String text, long min) throws DdException {
    BigInteger product = BigInteger.ONE;
    int start = 0;
    while (true) {
      int end = text.indexOf('x', start);
      BigInteger factor = term(text.substring(start, end < 0 ? text.length() : end));
      if (factor == null) {
        throw invalid(text, "");
      }
      product = product.multiply(factor);
      if (end < 0) {
        break;
      }
      start = end + 1;
    }
    if (product.compareTo(BigInteger.valueOf(min)) < 0) {
      throw invalid(text, "");
    }
    if (product.compareTo(MAX) > 0) {
      throw invalid(text, ": Value too large for defined data type");
    }
    return new DdNumber(product.longValue(), text.indexOf('B') >= 0);
  }

  /** Whether a text that may be a number begins with 0x, which people take for hexadecimal. */
  static boolean isZeroMultiplier(String text) {
    return text.startsWith("0x") && text.substring(2).chars().allMatch(Character::isDigit);
  }

  private static DdException invalid(String text, String why) {
    return DdException.failure("invalid number: " + Quote.word(text) + why);
  }

  /** One factor, or null if it is not a number. */
  private static BigInteger term(String text) {
    int start = 0;
    while (start < text.length() && isSpace(text.charAt(start))) {
      start++;
    }
    if (text.startsWith("+", start)) {
      start++;
    }
    int end = start;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    String suffix = text.substring(end);
    if (end == start && (suffix.isEmpty() || text.length() != suffix.length())) {
      return null;
    }
    BigInteger unit = unit(suffix);
    if (unit == null && suffix.endsWith("B") && !suffix.endsWith("BB")) {
      suffix = suffix.substring(0, suffix.length() - 1);
      unit = suffix.isEmpty() && end == start ? null : unit(suffix);
    }
    if (unit == null) {
      return null;
    }
    // A suffix alone stands for one of it.
    return end == start ? unit : new BigInteger(text.substring(start, end)).multiply(unit);
  }

  /** What a suffix multiplies by, or null if there is no such suffix. */
  private static BigInteger unit(String suffix) {
    return switch (suffix) {
      case "", "c" -> BigInteger.ONE;
      case "w" -> BigInteger.TWO;
      case "b" -> BigInteger.valueOf(512);
      default -> power(suffix);
    };
  }

  private static BigInteger power(String suffix) {
    char letter = suffix.charAt(0) == 'k' ? 'K' : suffix.charAt(0);
    int power = POWERS.indexOf(letter) + 1;
    if (power == 0) {
      return null;
    }
    return switch (suffix.substring(1)) {
      case "", "iB" -> BigInteger.valueOf(1024).pow(power);
      case "B", "D" -> BigInteger.valueOf(1000).pow(power);
      default -> null;
    };
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }
}
