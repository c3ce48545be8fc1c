package io.jdm.cli.command;

import io.jdm.cli.session.ToolException;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Option;

/** {@code info -c}: devices as rows of columns, aligned or for scripts. */
final class InfoColumns {
  private static final int HELP_WIDTH = 22;

  @Option(
      names = {"-c", "-C", "--columns"},
      description = "Print columns.")
  private boolean columns;

  @Option(
      names = {"-o", "--options"},
      paramLabel = "FIELDS",
      description = "These columns, separated by commas; '-o help' lists them.")
  private String fields;

  @Option(
      names = {"-O", "--sort"},
      paramLabel = "FIELDS",
      description = "Sort by these columns; -FIELD for the other way round.")
  private String sort;

  @Option(names = "--noheadings", description = "Print no headings, and a colon between fields.")
  private boolean noHeadings;

  @Option(
      names = "--separator",
      paramLabel = "TEXT",
      description = "Print this between fields, and do not align them.")
  private String separator;

  @Option(names = "--nameprefixes", description = "Print DM_FIELD='value', for a shell.")
  private boolean namePrefixes;

  /** Whether columns are wanted. */
  boolean wanted() {
    return columns;
  }

  /** Whether the list of columns is wanted instead. */
  boolean helpWanted() {
    return columns && ("help".equals(fields) || "?".equals(fields));
  }

  static String help() {
    StringBuilder help = new StringBuilder("Mapped Device Fields\n--------------------\n");
    for (InfoField field : InfoField.values()) {
      help.append("  ").append(pad(field.name(), HELP_WIDTH)).append("- ");
      help.append(field.description()).append('\n');
    }
    return help.toString();
  }

  /** The columns asked for. */
  private List<InfoField> shown() throws ToolException {
    if (fields == null) {
      return InfoField.DEFAULT;
    }
    List<InfoField> shown = new ArrayList<>();
    if (fields.startsWith("+")) {
      shown.addAll(InfoField.DEFAULT);
    }
    for (String word : (fields.startsWith("+") ? fields.substring(1) : fields).split(",", -1)) {
      if (word.equals("all")) {
        shown.addAll(List.of(InfoField.values()));
      } else {
        shown.add(field(word));
      }
    }
    return shown;
  }

  private static InfoField field(String word) throws ToolException {
    for (InfoField field : InfoField.values()) {
      if (field.name().equals(word)) {
        return field;
      }
    }
    throw new ToolException(help() + " \nUnrecognised field: " + word);
  }

  /** The devices in the order asked for. */
  List<DeviceInfo> sorted(DeviceMapper mapper, List<DeviceInfo> devices) throws ToolException {
    if (sort == null) {
      return devices;
    }
    Comparator<DeviceInfo> order = null;
    for (String word : sort.split(",", -1)) {
      boolean signed = word.startsWith("-") || word.startsWith("+");
      Comparator<DeviceInfo> next = field(signed ? word.substring(1) : word).order(mapper);
      next = word.startsWith("-") ? next.reversed() : next;
      order = order == null ? next : order.thenComparing(next);
    }
    return devices.stream().sorted(order).toList();
  }

  /** A device as names and values, for JSON. */
  Map<String, Object> row(DeviceMapper mapper, DeviceInfo device) throws ToolException {
    Map<String, Object> row = new LinkedHashMap<>();
    for (InfoField field : shown()) {
      row.put(field.name(), field.value(mapper, device));
    }
    return row;
  }

  String text(DeviceMapper mapper, List<DeviceInfo> devices) throws ToolException {
    List<InfoField> shown = shown();
    List<List<String>> rows = new ArrayList<>();
    if (!noHeadings) {
      rows.add(shown.stream().map(InfoField::heading).toList());
    }
    for (DeviceInfo device : devices) {
      rows.add(
          shown.stream()
              .map(field -> named(field, field.value(mapper, device).toString()))
              .toList());
    }
    boolean aligned = !noHeadings && !namePrefixes && separator == null;
    String between = namePrefixes || aligned ? " " : ":";
    if (separator != null) {
      between = separator;
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      List<String> cells = aligned ? aligned(shown, rows, i) : rows.get(i);
      text.append(String.join(between, cells)).append('\n');
    }
    return text.toString();
  }

  private String named(InfoField field, String value) {
    return namePrefixes
        ? "DM_" + field.name().toUpperCase(Locale.ROOT) + "='" + value + "'"
        : value;
  }

  private static List<String> aligned(List<InfoField> shown, List<List<String>> rows, int row) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < shown.size(); i++) {
      int column = i;
      int width =
          Math.max(
              shown.get(i).width(),
              rows.stream().mapToInt(cell -> cell.get(column).length()).max().orElse(0));
      String cell = rows.get(row).get(i);
      boolean right = shown.get(i).numeric() && row > 0;
      cells.add(right ? " ".repeat(width - cell.length()) + cell : pad(cell, width));
    }
    return cells;
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
