package io.jdm.cli.bench;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One dd that ran.
 *
 * @param summary its three lines
 * @param bytes copied, as it says
 * @param nanos from before it opened its files until it had closed them
 * @param cpu what it used meanwhile
 */
record DdRun(String summary, long bytes, long nanos, CpuTimes cpu) {
  private static final Pattern SUMMARY =
      Pattern.compile("\\d+\\+\\d+ records in\n\\d+\\+\\d+ records out\n(\\d+) bytes.* copied, .*");

  /**
   * Finds the summary in what a dd printed.
   *
   * @throws IOException if there is none
   */
  static DdRun of(String text, long nanos, CpuTimes cpu) throws IOException {
    Matcher summary = SUMMARY.matcher(text);
    if (!summary.find()) {
      throw new IOException("dd printed no summary: " + text.strip());
    }
    return new DdRun(summary.group(), Long.parseLong(summary.group(1)), nanos, cpu);
  }

  /** Opening, closing and what was written behind included. */
  double bytesPerSecond() {
    return bytes * 1e9 / nanos;
  }

  double seconds() {
    return nanos / 1e9;
  }
}
