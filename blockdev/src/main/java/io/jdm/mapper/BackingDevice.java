package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;

/**
 * A device that a target maps onto, as the table opened it. The table owns it: it is opened once
 * however often it is named, and closed with the table.
 *
 * @param name what {@code deps} prints: a path, {@code 253:0}, {@code mem:1M:x}; a device spec
 * @param device for I/O; read-only if the table is
 */
public record BackingDevice(String name, BlockDevice device) {
  /** The name as a table takes it back: with what separates words quoted. */
  public String argument() {
    return Arguments.quote(name);
  }

  /** As the kernel logs it: {@code loop1} for {@code /dev/loop1}, {@code dm-0} for 253:0. */
  String kernelName() {
    String mapped = DeviceMapper.MAJOR + ":";
    return name.startsWith(mapped)
        ? "dm-" + name.substring(mapped.length())
        : name.substring(name.lastIndexOf('/') + 1);
  }
}
