package io.jdm.cli.dd;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Amounts, rates and times as GNU dd prints them. */
public final class HumanReadable {
  private static final BigDecimal TEN = BigDecimal.TEN;
  private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

  /** As precise as the long double that GNU dd computes with. */
  private static final MathContext PRECISION = new MathContext(20, RoundingMode.HALF_EVEN);

  private static final String SI_PREFIXES = "kMGTPEZY";
  private static final String IEC_PREFIXES = "KMGTPEZY";

  private HumanReadable() {}

  /** Powers of 1000: {@code 1.0 MB}; {@code 999 B} without prefix. */
  static String si(long bytes) {
    return amount(bytes, 1000, SI_PREFIXES, "B");
  }

  /** Powers of 1024: {@code 1.0 MiB}; {@code 1023 B} without prefix. */
  public static String iec(long bytes) {
    return amount(bytes, 1024, IEC_PREFIXES, "iB");
  }

  private static String amount(long bytes, int base, String prefixes, String unit) {
    if (bytes < base) {
      return bytes + " B";
    }
    BigDecimal divisor = BigDecimal.valueOf(base);
    BigDecimal scaled = BigDecimal.valueOf(bytes);
    int power = 0;
    while (scaled.compareTo(divisor) >= 0) {
      scaled = scaled.divide(divisor);
      power++;
    }
    String number = rounded(scaled);
    if (number.equals(String.valueOf(base))) {
      number = "1.0";
      power++;
    }
    return number + " " + prefixes.charAt(power - 1) + unit;
  }

  /** One decimal below ten, none from there on, halves to even. */
  private static String rounded(BigDecimal value) {
    BigDecimal tenths = value.setScale(1, RoundingMode.HALF_EVEN);
    return (tenths.compareTo(TEN) < 0 ? tenths : value.setScale(0, RoundingMode.HALF_EVEN))
        .toPlainString();
  }

  /**
   * Bytes a second, in kB or more, one decimal below a hundred: {@code 20.1 MB/s}.
   *
   * @param nanos above 0, else the rate is infinite
   */
  public static String rate(long bytes, long nanos) {
    if (nanos <= 0) {
      return "Infinity B/s";
    }
    BigDecimal thousand = BigDecimal.valueOf(1000);
    BigDecimal scaled =
        BigDecimal.valueOf(bytes)
            .multiply(NANOS)
            .divide(BigDecimal.valueOf(nanos), PRECISION)
            .divide(thousand, PRECISION);
    int power = 0;
    while (scaled.compareTo(thousand) >= 0) {
      scaled = scaled.divide(thousand, PRECISION);
      power++;
    }
    String number = scaled.setScale(1, RoundingMode.HALF_EVEN).toPlainString();
    if (number.length() > "99.9".length()) {
      number = scaled.setScale(0, RoundingMode.HALF_EVEN).toPlainString();
    }
    return number + " " + SI_PREFIXES.charAt(power) + "B/s";
  }

  /** Seconds as C's {@code %g} prints them: six digits, no trailing zeros. */
  static String seconds(long nanos) {
    if (nanos == 0) {
      return "0";
    }
    BigDecimal value =
        BigDecimal.valueOf(nanos)
            .divide(NANOS)
            .round(new MathContext(6, RoundingMode.HALF_EVEN))
            .stripTrailingZeros();
    int exponent = value.precision() - value.scale() - 1;
    if (exponent >= -4 && exponent < 6) {
      return value.toPlainString();
    }
    String mantissa = value.movePointLeft(exponent).toPlainString();
    return String.format("%se%s%02d", mantissa, exponent < 0 ? "-" : "+", Math.abs(exponent));
  }
}
