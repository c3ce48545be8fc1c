package io.jdm.cli.bench;

import java.util.Locale;
import java.util.Map;

/** Numbers as the tables print them and as JSON can hold them; unknown ones are left out. */
final class Figures {
  private Figures() {}

  /** In millions of bytes: {@code 8.0}, {@code 4385}. */
  static String megabytes(double bytes) {
    return rate(bytes / 1e6);
  }

  /** In units of 1048576 bytes, which the article's dd calls MB. */
  static String mebibytes(double bytes) {
    return rate(bytes / (1 << 20));
  }

  private static String rate(double value) {
    return number(value, value < 100 ? 1 : 0);
  }

  /** With two digits behind the point. */
  static String ratio(double ratio) {
    return number(ratio, 2);
  }

  /** With so many digits behind the point; empty if not known. */
  static String number(double value, int digits) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  /** Adds a member to a JSON object, unless it is not known. */
  static void put(Map<String, Object> object, String name, double value) {
    if (!Double.isNaN(value)) {
      object.put(name, value);
    }
  }
}
