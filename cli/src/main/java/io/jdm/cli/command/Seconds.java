package io.jdm.cli.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How long something takes, in seconds, on the command line: more than none, an hour at most. */
final class Seconds implements ITypeConverter<Double> {
  private static final int MAX = 3600;

  @Override
  public Double convert(String text) {
    try {
      double seconds = Double.parseDouble(text);
      if (seconds > 0 && seconds <= MAX) {
        return seconds;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new TypeConversionException(
        "'" + text + "' is not a number of seconds above 0, at most " + MAX);
  }
}
