package io.jdm.mapper;

import java.util.List;

/** The text of a table: see {@code parse}. */
public final class TableText implements AutoCloseable {
  private final List<TableLine> lines;

  private TableText(List<TableLine> lines) {
    this.lines = List.copyOf(lines);
  }

  /** A table of these lines, which it owns. */
  public static TableText of(TableLine... lines) {
    return new TableText(List.of(lines));
  }

  /**
   * Parses dmsetup's grammar: a target a line, {@code start length type arguments}.
   *
   * @param text UTF-8; copied, not changed
   * @param source what the error names: a file's name, {@code on stdin}, or empty for {@code
   *     --table}
   * @throws MapperException {@code Invalid format on line N of table SOURCE.}
   */
  public static TableText parse(byte[] text, String source) throws MapperException {
    return Pending.body();
  }

  /** Parses a table that holds no key. */
  public static TableText parse(String text) throws MapperException {
    return Pending.body();
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
}
