package io.jdm.cli.bench;

import java.util.Locale;
import java.util.Map;

/** Numbers as the tables print them and as JSON can hold them; unknown ones are left out. */
final class Figures {
  private Figures() {}

  /** In millions of bytes, three significant digits or whole: {@code 8.02}, {@code 4385}. */
  static String megabytes(double bytes) {
    double megabytes = bytes / 1e6;
    return number(megabytes, megabytes < 10 ? 2 : megabytes < 100 ? 1 : 0);
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
