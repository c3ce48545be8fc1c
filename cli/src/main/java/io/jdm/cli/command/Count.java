package io.jdm.cli.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How many of something, at least one, on the command line. */
final class Count implements ITypeConverter<Integer> {
  @Override
  public Integer convert(String text) {
    try {
      int count = Integer.parseInt(text);
      if (count > 0) {
        return count;
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new TypeConversionException("'" + text + "' is not a number from 1 on");
  }
}
