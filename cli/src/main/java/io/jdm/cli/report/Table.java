package io.jdm.cli.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A table in plain text: columns as wide as their widest cell, two spaces between them, words to
 * the left and numbers to the right. Not thread-safe.
 */
public final class Table {
  private final List<Column> columns = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  private static final class Column {
    final String heading;
    final boolean right;
    int width;

    Column(String heading, boolean right) {
      this.heading = heading;
      this.right = right;
      this.width = heading.length();
    }
  }

  /** Adds columns of words. */
  public Table words(String... headings) {
    return columns(false, headings);
  }

  /** Adds columns of numbers. */
  public Table numbers(String... headings) {
    return columns(true, headings);
  }

  private Table columns(boolean right, String... headings) {
    for (String heading : headings) {
      columns.add(new Column(heading, right));
    }
    return this;
  }

  /** Adds a row: a cell for each column, or fewer if the last ones are empty. */
  public Table row(String... cells) {
    return row(List.of(cells));
  }

  /** Adds a row: a cell for each column, or fewer if the last ones are empty. */
  public Table row(List<String> cells) {
    if (cells.size() > columns.size()) {
      throw new IllegalArgumentException(
          cells.size() + " cells for " + columns.size() + " columns");
    }
    for (int i = 0; i < cells.size(); i++) {
      Column column = columns.get(i);
      column.width = Math.max(column.width, cells.get(i).length());
    }
    rows.add(List.copyOf(cells));
    return this;
  }

  /** The headings and the rows, a line each; no line ends in a space. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    line(text, columns.stream().map(column -> column.heading).toList());
    for (List<String> row : rows) {
      line(text, row);
    }
    return text.toString();
  }

  private void line(StringBuilder text, List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      Column column = columns.get(i);
      String padding = " ".repeat(column.width - cells.get(i).length());
      line.append(i == 0 ? "" : "  ");
      line.append(column.right ? padding + cells.get(i) : cells.get(i) + padding);
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }
}
