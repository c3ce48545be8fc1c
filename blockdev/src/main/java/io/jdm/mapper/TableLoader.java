package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Sectors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes a table from its text, with the kernel's checks in the kernel's order and its words for
 * what is wrong (source: spec/dm-core.md section 2; oracle/dmsetup-transcript.md).
 */
final class TableLoader {
  private static final long MAX_SECTORS = Sectors.fromBytes(Long.MAX_VALUE);

  private final DeviceMapper mapper;
  private final MappedDevice owner;
  private final boolean readOnly;
  private final Ioctl ioctl;

  private final List<Table.Entry> entries = new ArrayList<>();
  private final Map<String, BackingDevice> devices = new LinkedHashMap<>();

  TableLoader(DeviceMapper mapper, MappedDevice owner, boolean readOnly, Ioctl ioctl) {
    this.mapper = mapper;
    this.owner = owner;
    this.readOnly = readOnly;
    this.ioctl = ioctl;
  }

  /** The table; whatever was made and opened for it is released if it is refused. */
  Table load(TableText text) throws MapperException {
    boolean complete = false;
    try {
      if (text.isEmpty()) {
        throw ioctl.failure(
            Errno.EINVAL, List.of("ioctl: populate_table: no targets specified"), "", null);
      }
      for (TableLine line : text.lines()) {
        add(line);
      }
      Table table = new Table(owner, readOnly, entries, List.copyOf(devices.values()));
      complete = true;
      return table;
    } finally {
      if (!complete) {
        Table.closeAll(
            entries.stream().map(Table.Entry::target).toList(), List.copyOf(devices.values()));
      }
    }
  }

  private void add(TableLine line) throws MapperException {
    checkRange(line);
    TargetType type = mapper.targetType(line.type());
    if (type == null) {
      throw refuse(
          line.type() + ": unknown target type",
          "known are "
              + String.join(
                  ", ", mapper.targets().stream().map(TargetType::name).sorted().toList()));
    }
    Context context = new Context(line.start(), line.length());
    try (Arguments arguments = line.arguments()) {
      checkFeatures(type);
      if (line.start() != end()) {
        throw new TargetException(
            Errno.EINVAL,
            "Gap in table",
            "start is "
                + line.start()
                + ", expected "
                + end()
                + ", where the previous target ends");
      }
      Target target = type.create(context, arguments);
      entries.add(
          new Table.Entry(
              line.start(),
              line.length(),
              type,
              target,
              target.maxIoLength(),
              List.copyOf(context.areas)));
    } catch (TargetException e) {
      throw refused(
          type.name() + ": " + e.reason() + " (-" + e.errno().name() + ")",
          e.errno(),
          e.detail(),
          e);
    } finally {
      context.valid = false;
    }
  }

  private void checkRange(TableLine line) throws MapperException {
    if (!entries.isEmpty() && has(entries.get(0).type(), TargetType.Feature.SINGLETON)) {
      throw refuse(
          "target type " + entries.get(0).type().name() + " must appear alone in table", "");
    }
    long start = line.start();
    long length = line.length();
    if (length == 0) {
      throw refuse("zero-length target", "line '" + line + "'");
    }
    if (start < 0 || length < 0 || start > MAX_SECTORS - length) {
      throw refuse(
          "too large device",
          "line '" + line + "' ends beyond the largest size of " + MAX_SECTORS + " sectors");
    }
  }

  private void checkFeatures(TargetType type) throws TargetException {
    if (has(type, TargetType.Feature.SINGLETON) && !entries.isEmpty()) {
      throw new TargetException(
          Errno.EINVAL, "singleton target type must appear alone in table", "");
    }
    if (has(type, TargetType.Feature.ALWAYS_WRITEABLE) && readOnly) {
      throw new TargetException(
          Errno.EINVAL, "target type may not be included in a read-only table", "");
    }
    if (!entries.isEmpty()) {
      TargetType first = entries.get(0).type();
      boolean mixed = !first.name().equals(type.name());
      if (mixed
          && (has(first, TargetType.Feature.IMMUTABLE)
              || has(type, TargetType.Feature.IMMUTABLE))) {
        throw new TargetException(
            Errno.EINVAL, "immutable target type cannot be mixed with other target types", "");
      }
    }
  }

  private static boolean has(TargetType type, TargetType.Feature feature) {
    return type.features().contains(feature);
  }

  /** The sector where the next target must start. */
  private long end() {
    if (entries.isEmpty()) {
      return 0;
    }
    Table.Entry last = entries.get(entries.size() - 1);
    return last.start() + last.length();
  }

  private MapperException refuse(String words, String detail) {
    return refused(words, Errno.EINVAL, detail, null);
  }

  private MapperException refused(String words, Errno errno, String detail, Throwable cause) {
    return ioctl.failure(
        errno,
        List.of(owner.logPrefix() + words, "ioctl: error adding target to table"),
        detail,
        cause);
  }

  /** Opens devices for one target; each only once for the whole table. */
  private final class Context implements TargetContext {
    /** Characters of a device spec: Linux's PATH_MAX. */
    private static final int MAX_SPEC = 4096;

    private static final String LOOKUP_FAILED = "Device lookup failed";

    private final long start;
    private final long length;
    private final List<Table.Area> areas = new ArrayList<>();
    private boolean valid = true;

    Context(long start, long length) {
      this.start = start;
      this.length = length;
    }

    @Override
    public String deviceName() {
      return owner.name();
    }

    @Override
    public long start() {
      return start;
    }

    @Override
    public long length() {
      return length;
    }

    @Override
    public boolean readOnly() {
      return readOnly;
    }

    @Override
    public Runnable event() {
      return owner::raiseEvent;
    }

    @Override
    public BackingDevice device(String spec) throws TargetException {
      if (!valid) {
        throw new IllegalStateException("the target is complete");
      }
      if (spec.length() > MAX_SPEC) {
        throw new TargetException(
            Errno.ENAMETOOLONG, LOOKUP_FAILED, "the device has " + spec.length() + " characters");
      }
      try {
        String name = mapper.canonicalName(spec);
        BackingDevice backing = devices.get(name);
        if (backing == null) {
          BlockDevice device = mapper.openFor(owner, name, !readOnly);
          backing = new BackingDevice(name, device);
          devices.put(name, backing);
        }
        return backing;
      } catch (IOException e) {
        throw new TargetException(
            lookupErrno(e), LOOKUP_FAILED, "device '" + spec + "': " + e.getMessage(), e);
      }
    }

    @Override
    public BackingDevice device(String spec, long areaStart, long areaLength)
        throws TargetException {
      BackingDevice backing = device(spec);
      areas.add(new Table.Area(backing, areaStart, areaLength));
      return backing;
    }
  }

  /** The kernel looks for a device, not for a file, and says so. */
  private static Errno lookupErrno(IOException e) {
    Errno errno = DeviceException.errnoOf(e);
    return switch (errno) {
      case ENOENT -> Errno.ENODEV;
      case EISDIR -> Errno.ENOTBLK;
      default -> errno;
    };
  }
}
