package io.jdm.cli.command;

import io.jdm.mapper.Dependency;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** A column of {@code info -c}: dmsetup's name, heading and width of it, and its value. */
enum InfoField {
  name("Name", 16, "Name of mapped device."),
  uuid("UUID", 32, "Unique (optional) identifier for mapped device."),
  blkdevname("BlkDevName", 16, "Name of block device."),
  attr("Stat", 4, "(L)ive, (I)nactive, (s)uspended, (r)ead-only, read-(w)rite."),
  tables_loaded("Tables", 6, "Which of the live and inactive table slots are filled."),
  suspended("Suspended", 9, "Whether the device is suspended."),
  readonly("Read-only", 9, "Whether the device is read-only or writeable."),
  devno("DevNo", 5, "Device major and minor numbers"),
  major("Maj", 3, "Block device major number."),
  minor("Min", 3, "Block device minor number."),
  open("Open", 4, "Number of references to open device, if requested."),
  segments("Targ", 4, "Number of segments in live table, if present."),
  events("Event", 6, "Number of most recent event."),
  device_count("#Devs", 5, "Number of devices used by this one."),
  devs_used("DevNamesUsed", 16, "List of names of mapped devices used by this one."),
  devnos_used("DevNosUsed", 16, "List of device numbers of devices used by this one.");

  /** What {@code info -c} shows without {@code -o}. */
  static final List<InfoField> DEFAULT =
      List.of(name, major, minor, attr, open, segments, events, uuid);

  private final String heading;
  private final int width;
  private final String description;

  InfoField(String heading, int width, String description) {
    this.heading = heading;
    this.width = width;
    this.description = description;
  }

  String heading() {
    return heading;
  }

  /** Characters that the column has at least. */
  int width() {
    return width;
  }

  String description() {
    return description;
  }

  /** Whether it is a number, which stands at the right of its column. */
  boolean numeric() {
    return switch (this) {
      case major, minor, open, segments, events, device_count -> true;
      default -> false;
    };
  }

  /** Its order of devices. */
  Comparator<DeviceInfo> order(DeviceMapper mapper) {
    return numeric()
        ? Comparator.comparingLong(info -> (Long) value(mapper, info))
        : Comparator.comparing(info -> (String) value(mapper, info));
  }

  /** A {@code Long} if it is numeric, else a {@code String}. */
  Object value(DeviceMapper mapper, DeviceInfo info) {
    return switch (this) {
      case name -> info.name();
      case uuid -> info.uuid();
      case blkdevname -> "dm-" + info.number().minor();
      case attr -> attributes(info);
      case tables_loaded -> tables(info);
      case suspended -> info.suspended() ? "Suspended" : "Active";
      case readonly -> info.readOnly() ? "Read-only" : "Writeable";
      case devno -> info.number().toString();
      case major -> (long) info.number().major();
      case minor -> (long) info.number().minor();
      case open -> (long) info.openCount();
      case segments -> (long) info.targets();
      case events -> info.eventNumber();
      case device_count -> (long) deps(mapper, info).size();
      case devs_used ->
          deps(mapper, info).stream()
              .filter(dep -> dep.number().isPresent())
              .map(dep -> DeviceForm.devname.of(mapper, dep, ":"))
              .collect(Collectors.joining(","));
      case devnos_used ->
          deps(mapper, info).stream()
              .map(dep -> DeviceForm.devno.of(mapper, dep, ":"))
              .collect(Collectors.joining(","));
    };
  }

  private static String attributes(DeviceInfo info) {
    return (info.live() ? "L" : "-")
        + (info.inactive() ? "I" : "-")
        + (info.suspended() ? "s" : "-")
        + (info.readOnly() ? "r" : "w");
  }

  private static String tables(DeviceInfo info) {
    if (info.live()) {
      return info.inactive() ? "Both" : "Live";
    }
    return info.inactive() ? "Inactive" : "None";
  }

  private static List<Dependency> deps(DeviceMapper mapper, DeviceInfo info) {
    try {
      return mapper.deps(info.id(), Slot.LIVE);
    } catch (MapperException e) {
      return List.of(); // It is being removed.
    }
  }
}
