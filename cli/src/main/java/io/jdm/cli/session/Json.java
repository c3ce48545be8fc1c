package io.jdm.cli.session;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.jr.ob.JSON;

/** The one form of {@code --json} answers: {@code {"results": [...]}}, one object a row. */
public final class Json {
  private Json() {}

  /** Rows of names and values (strings, numbers, booleans, lists, maps), in the order given. */
  public static String results(List<? extends Map<String, ?>> rows) throws IOException {
    return of(Map.of("results", rows));
  }

  /** One document, indented, with a newline at its end. */
  public static String of(Map<String, ?> document) throws IOException {
    try {
      return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(document) + "\n";
    } catch (JacksonException e) {
      throw new IOException("cannot write JSON: " + e.getMessage(), e);
    }
  }
}
