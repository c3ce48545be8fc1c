package io.jdm.mapper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The text of a table in dmsetup's grammar (source: spec/dm-core.md section 2): a target a line,
 * {@code start length type arguments}; lines are trimmed, empty ones and those that begin with
 * {@code #} are skipped, a later {@code #} that no backslash quotes ends the arguments. Nothing but
 * the form is checked here.
 *
 * <p>The text may hold keys, so it is taken as bytes and kept as bytes until {@link #close()} wipes
 * them.
 */
public final class TableText implements AutoCloseable {
  /** Characters that a type's name may have at most. */
  private static final int MAX_TYPE_NAME = 15;

  /** Characters of a longer one that an error shows. */
  private static final int MAX_SHOWN = 24;

  private final List<TableLine> lines;

  private TableText(List<TableLine> lines) {
    this.lines = List.copyOf(lines);
  }

  /** A table of these lines, which it owns. */
  public static TableText of(TableLine... lines) {
    return new TableText(List.of(lines));
  }

  /**
   * Parses a table.
   *
   * @param text UTF-8; copied, not changed
   * @param source what the error names: a file's name, {@code on stdin}, or empty for {@code
   *     --table}
   * @throws MapperException {@code Invalid format on line N of table SOURCE.}
   */
  public static TableText parse(byte[] text, String source) throws MapperException {
    List<TableLine> lines = new ArrayList<>();
    int number = 0;
    try {
      for (int start = 0; start <= text.length; ) {
        int end = start;
        while (end < text.length && text[end] != '\n') {
          end++;
        }
        number++;
        TableLine line = new LineScanner(text, start, end, number, source).line();
        if (line != null) {
          lines.add(line);
        }
        start = end + 1;
      }
    } catch (MapperException e) {
      lines.forEach(TableLine::close);
      throw e;
    }
    return new TableText(lines);
  }

  /** Parses a table that holds no key. */
  public static TableText parse(String text) throws MapperException {
    return parse(text.getBytes(StandardCharsets.UTF_8), "");
  }

  /** The lines in the order of the text; may be empty. */
  public List<TableLine> lines() {
    return lines;
  }

  /** Whether there is no line. */
  public boolean isEmpty() {
    return lines.isEmpty();
  }

  /** Wipes the arguments of all lines. */
  @Override
  public void close() {
    lines.forEach(TableLine::close);
  }

  /** The lines without their arguments, which may be secret. */
  @Override
  public String toString() {
    return lines.toString();
  }

  /** Reads one line as dmsetup does with {@code sscanf("%llu %llu %s %n")}. */
  private static final class LineScanner {
    private final byte[] text;
    private final int number;
    private final String source;
    private int at;
    private int end;

    LineScanner(byte[] text, int start, int end, int number, String source) {
      this.text = text;
      this.at = start;
      this.end = end;
      this.number = number;
      this.source = source;
    }

    /** The line, or null if there is nothing on it. */
    TableLine line() throws MapperException {
      while (end > at && Arguments.isSpace(text[end - 1])) {
        end--;
      }
      skipSpace();
      if (at == end || text[at] == '#') {
        return null;
      }
      long start = unsigned("start");
      skipSpace();
      long length = unsigned("length");
      skipSpace();
      String type = word();
      if (type.length() > MAX_TYPE_NAME) {
        throw MapperException.refused(
            "Target type name " + shown(type) + " is too long.",
            "it has " + type.length() + " characters, at most " + MAX_TYPE_NAME + " are allowed");
      }
      skipSpace();
      return new TableLine(start, length, type, Arrays.copyOfRange(text, at, comment()));
    }

    private void skipSpace() {
      while (at < end && Arguments.isSpace(text[at])) {
        at++;
      }
    }

    /** A number as scanf reads it: a sign is taken, too large ones become the largest. */
    private long unsigned(String field) throws MapperException {
      boolean negative = at < end && text[at] == '-';
      if (negative || (at < end && text[at] == '+')) {
        at++;
      }
      int first = at;
      long value = 0;
      boolean overflow = false;
      for (; at < end && text[at] >= '0' && text[at] <= '9'; at++) {
        int digit = text[at] - '0';
        overflow |= Long.compareUnsigned(value, Long.divideUnsigned(-1L - digit, 10)) > 0;
        value = 10 * value + digit;
      }
      if (at == first) {
        throw invalid(field + " (field of a line 'start length type arguments') is not a number");
      }
      return overflow ? -1L : negative ? -value : value;
    }

    private String word() throws MapperException {
      int first = at;
      while (at < end && !Arguments.isSpace(text[at])) {
        at++;
      }
      if (at == first) {
        throw invalid("the target type is missing after start and length");
      }
      return new String(text, first, at - first, StandardCharsets.UTF_8);
    }

    /** A key in the wrong place has no business in an error. */
    private static String shown(String type) {
      return type.length() > MAX_SHOWN ? type.substring(0, MAX_SHOWN) + "..." : type;
    }

    /** Where a comment begins, or the end of the line. */
    private int comment() {
      for (int i = at; i < end; i++) {
        if (text[i] == '\\') {
          i++;
        } else if (text[i] == '#') {
          return i;
        }
      }
      return end;
    }

    private MapperException invalid(String detail) {
      return MapperException.refused(
          "Invalid format on line " + number + " of table " + source + ".", detail);
    }
  }
}
