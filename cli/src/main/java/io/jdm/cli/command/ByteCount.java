package io.jdm.cli.command;

import io.jdm.cli.dd.DdException;
import io.jdm.cli.dd.DdNumber;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An amount of bytes above 0 on the command line, in dd's notation: {@code 64K}, {@code 2GB}. */
final class ByteCount implements ITypeConverter<Long> {
  @Override
  public Long convert(String text) {
    try {
      return DdNumber.parse(text, 1).value();
    } catch (DdException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
