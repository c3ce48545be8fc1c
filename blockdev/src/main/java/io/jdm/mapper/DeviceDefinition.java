package io.jdm.mapper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * All that makes a mapped device: what {@code create} takes, and one entry of dmsetup's concise
 * form {@code name,uuid,minor,flags,table[,table]*} (source: spec/dm-core.md section 4.3).
 *
 * @param name 1 to 127 bytes
 * @param uuid at most 128 bytes; empty for none
 * @param minor the wanted minor number, or {@link #ANY_MINOR}
 * @param readOnly whether the table is loaded read-only
 * @param table without a line: the device is created without a table
 */
public record DeviceDefinition(
    String name, String uuid, int minor, boolean readOnly, TableText table)
    implements AutoCloseable {
  /** The lowest free minor number. */
  public static final int ANY_MINOR = -1;

  /** A writable device with this table, without uuid, with any minor number. */
  public static DeviceDefinition of(String name, TableText table) {
    return new DeviceDefinition(name, "", ANY_MINOR, false, table);
  }

  /**
   * Parses the concise form: devices separated by {@code ;}, fields and table lines by {@code ,}, a
   * backslash quotes the next character. Whitespace after {@code ;} and after the field commas is
   * skipped. Unlike dmsetup, which creates each device as it goes, an error in any entry is found
   * before anything is created.
   *
   * @param text UTF-8; copied, not changed
   * @throws MapperException with dmsetup's words
   */
  public static List<DeviceDefinition> parseConcise(byte[] text) throws MapperException {
    return new ConciseParser(text).parse();
  }

  /** The concise form of this device; devices are joined by {@code ;}. The caller wipes it. */
  public byte[] toConcise() {
    SecretBytes out = new SecretBytes();
    out.appendQuoted(name);
    out.append(",");
    out.appendQuoted(uuid);
    out.append("," + (minor == ANY_MINOR ? "" : minor) + "," + (readOnly ? "ro" : "rw"));
    for (TableLine line : table.lines()) {
      out.append(
          ","
              + Long.toUnsignedString(line.start())
              + " "
              + Long.toUnsignedString(line.length())
              + " ");
      out.appendQuoted(line.type());
      out.append(" ");
      out.appendQuoted(line.parameters());
    }
    return out.take();
  }

  /** Wipes the table. */
  @Override
  public void close() {
    table.close();
  }

  /** Without the table's arguments, which may be secret. */
  @Override
  public String toString() {
    return name + "," + uuid + "," + minor + "," + (readOnly ? "ro" : "rw") + "," + table.lines();
  }

  /** Bytes that are wiped when they grow and when they were taken. */
  private static final class SecretBytes {
    private byte[] bytes = new byte[64];
    private int length;

    void append(byte b) {
      if (length == bytes.length) {
        byte[] larger = Arrays.copyOf(bytes, 2 * length);
        Arrays.fill(bytes, (byte) 0);
        bytes = larger;
      }
      bytes[length++] = b;
    }

    void append(String text) {
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
        append(b);
      }
    }

    void appendQuoted(byte[] text) {
      for (byte b : text) {
        if (b == ',' || b == ';' || b == '\\') {
          append((byte) '\\');
        }
        append(b);
      }
    }

    void appendQuoted(String text) {
      appendQuoted(text.getBytes(StandardCharsets.UTF_8));
    }

    int length() {
      return length;
    }

    byte[] slice(int from, int to) {
      return Arrays.copyOfRange(bytes, from, to);
    }

    String text(int from, int to) {
      return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    byte[] take() {
      byte[] taken = slice(0, length);
      clear();
      return taken;
    }

    void clear() {
      Arrays.fill(bytes, (byte) 0);
      length = 0;
    }
  }

  /** Takes entries apart exactly where dmsetup does. */
  private static final class ConciseParser {
    private static final int TABLE = 4;
    private static final String FIVE_FIELDS =
        "ive comma-separated fields are required for each device";

    private final byte[] in;
    private int at;

    /** The unquoted entry so far; {@code starts} has where its fields begin. */
    private final SecretBytes entry = new SecretBytes();

    private final int[] starts = new int[TABLE + 1];
    private int field;

    private final List<DeviceDefinition> devices = new ArrayList<>();

    ConciseParser(byte[] in) {
      this.in = in;
    }

    List<DeviceDefinition> parse() throws MapperException {
      try {
        while (at < in.length) {
          next();
        }
        if (entry.length() > 0 || field > 0) {
          throw refused("Incomplete entry: f" + FIVE_FIELDS);
        }
        return List.copyOf(devices);
      } catch (MapperException e) {
        devices.forEach(DeviceDefinition::close);
        throw e;
      } finally {
        entry.clear();
      }
    }

    private void next() throws MapperException {
      byte c = in[at];
      if (c == '\\') {
        if (++at == in.length) {
          throw refused("Backslash must be followed by another character at end of string.");
        }
        entry.append(in[at++]);
      } else if (c == ',' && field < TABLE) {
        starts[++field] = entry.length();
        at++;
        skipSpace();
      } else if (c == ',') {
        entry.append((byte) '\n');
        at++;
      } else if (c == ';' || at + 1 == in.length) {
        if (c != ';') {
          entry.append(c);
        }
        at++;
        endEntry();
        skipSpace();
      } else {
        entry.append(c);
        at++;
      }
    }

    private void skipSpace() {
      while (at < in.length && Arguments.isSpace(in[at])) {
        at++;
      }
    }

    private void endEntry() throws MapperException {
      if (field != TABLE) {
        throw refused("F" + FIVE_FIELDS);
      }
      String flags = field(3);
      if (!flags.isEmpty() && !flags.equals("ro") && !flags.equals("rw")) {
        throw refused("Invalid flags parameter '" + flags + "' must be 'ro' or 'rw' or empty.");
      }
      byte[] table = entry.slice(starts[TABLE], entry.length());
      try {
        devices.add(
            new DeviceDefinition(
                field(0), field(1), minor(), flags.equals("ro"), TableText.parse(table, "")));
      } finally {
        Arrays.fill(table, (byte) 0);
      }
      entry.clear();
      field = 0;
    }

    private String field(int index) {
      return entry.text(starts[index], index == TABLE ? entry.length() : starts[index + 1]);
    }

    private int minor() throws MapperException {
      String text = field(2);
      if (text.isEmpty()) {
        return ANY_MINOR;
      }
      long minor = Arguments.parseUnsigned(text);
      if (minor < 0 || minor > Integer.MAX_VALUE) {
        throw refused("Invalid minor number '" + text + "'.");
      }
      return (int) minor;
    }

    private MapperException refused(String message) {
      return MapperException.refused(
          message,
          "entry " + (devices.size() + 1) + " of the concise text, field " + (field + 1) + " of 5");
    }
  }
}
