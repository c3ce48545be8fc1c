package io.jdm.cli.command;

import io.jdm.mapper.Dependency;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.DeviceNumber;
import io.jdm.mapper.MapperException;

/** How a listing of dmsetup names a mapped device: {@code -o devno|blkdevname|devname}. */
enum DeviceForm {
  devno,
  blkdevname,
  devname;

  /**
   * The device in this form.
   *
   * @param between stands between major and minor number
   */
  String of(String name, DeviceNumber number, String between) {
    return switch (this) {
      case devno -> number.major() + between + number.minor();
      case blkdevname -> "dm-" + number.minor();
      case devname -> name;
    };
  }

  /** The same for a device below; one that is not mapped has its path in every form. */
  String of(DeviceMapper mapper, Dependency device, String between) {
    return device
        .number()
        .map(number -> of(name(mapper, number), number, between))
        .orElse(device.name());
  }

  private static String name(DeviceMapper mapper, DeviceNumber number) {
    try {
      return mapper.info(DeviceId.numbered(number.major(), number.minor())).name();
    } catch (MapperException e) {
      return number.toString(); // It is being removed.
    }
  }
}
