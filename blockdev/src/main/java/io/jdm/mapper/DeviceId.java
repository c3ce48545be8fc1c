package io.jdm.mapper;

/**
 * How a caller says which mapped device is meant: by name, by uuid ({@code -u}), or by number
 * ({@code -j -m}).
 *
 * @param name the name, or empty
 * @param uuid the uuid, or empty
 * @param number the number, or null
 */
public record DeviceId(String name, String uuid, DeviceNumber number) {
  /** The device of this name. */
  public static DeviceId named(String name) {
    return new DeviceId(name, "", null);
  }

  /** The device with this uuid. */
  public static DeviceId withUuid(String uuid) {
    return new DeviceId("", uuid, null);
  }

  /** The device with this number. */
  public static DeviceId numbered(int major, int minor) {
    return new DeviceId("", "", new DeviceNumber(major, minor));
  }

  /** As the ioctl errors of dmsetup print it: name, a space, uuid, number in brackets. */
  @Override
  public String toString() {
    return name + " " + uuid + (number == null ? "" : "(" + number + ")");
  }
}
