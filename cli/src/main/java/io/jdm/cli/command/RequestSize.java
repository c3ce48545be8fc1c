package io.jdm.cli.command;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bytes that one buffer holds, on the command line: as {@link ByteCount}, at most 1 GiB. */
final class RequestSize implements ITypeConverter<Integer> {
  private static final int MAX = 1 << 30;

  @Override
  public Integer convert(String text) {
    long bytes = new ByteCount().convert(text);
    if (bytes > MAX) {
      throw new TypeConversionException("'" + text + "' is more than the " + MAX + " there can be");
    }
    return (int) bytes;
  }
}
