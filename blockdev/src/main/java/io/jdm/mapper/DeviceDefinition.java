package io.jdm.mapper;

import java.util.List;

/**
 * All that makes a mapped device: what {@code create} takes and one entry of dmsetup's concise form
 * {@code name,uuid,minor,flags,table[,table]*}.
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
   * Parses the concise form: devices separated by {@code ;}, fields and table lines by {@code ,},
   * each of the three quoted by a backslash.
   *
   * @param text UTF-8; copied, not changed
   * @throws MapperException with dmsetup's words
   */
  public static List<DeviceDefinition> parseConcise(byte[] text) throws MapperException {
    return Pending.body();
  }

  /** The concise form of one device; devices are joined by {@code ;}. The caller wipes it. */
  public byte[] toConcise() {
    return Pending.body();
  }

  /** Wipes the table. */
  @Override
  public void close() {
    table.close();
  }
}
