package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.io.IoStatistics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The registry of mapped devices: device-mapper's ioctl interface as methods (source:
 * spec/dm-core.md; texts and states checked against oracle/dmsetup-transcript.md).
 *
 * <h2>Devices and tables</h2>
 *
 * A device has a name, perhaps a uuid, a number {@code 253:MINOR}, and two places for a table. A
 * new device has no table, is not suspended, has size 0, and all I/O to it fails.
 *
 * <ul>
 *   <li>{@link #load} builds a table and puts it into the <b>inactive</b> place; one that was there
 *       goes, the live one serves on. {@link #clear} drops it.
 *   <li>{@link #resume} makes the inactive table, if there is one, <b>live</b>: the device is
 *       suspended first if it is not, the tables are swapped, size and mode become those of the new
 *       table, and I/O goes on. Without an inactive table it only ends a suspension; without either
 *       it does nothing.
 *   <li>{@link #suspend} stops I/O: new requests wait, those in flight end. A suspended device can
 *       be opened, closed, loaded and removed.
 * </ul>
 *
 * <p><b>Suspending</b>: the targets' {@code presuspend}; new I/O is stopped; I/O in flight ends;
 * the targets' {@code postsuspend}. If the waiting thread is interrupted, {@code presuspendUndo}
 * follows and the device goes on. What dmsetup's {@code --nolockfs} and {@code --noflush} leave out
 * is never done here: there is no file system on top to be frozen, and a request belongs to a
 * waiting caller, so that no target can hand it back to be repeated later.
 *
 * <p><b>Resuming</b>: {@code preresume} of all targets in the order of the table. The first that
 * refuses ends it: the device stays suspended, with the new table if there was a swap. Then {@code
 * resume} of all, and waiting requests go to the table that is live now.
 *
 * <p>As in the kernel, only the first table that a device ever gets is compared with the devices
 * below when it is loaded; later ones are when they are swapped in. A table that does not fit then
 * leaves the device suspended with the old one.
 *
 * <p><b>Events</b>: the counter starts at 0 and grows when a target says so, and when a device with
 * a live table is renamed, gets its uuid, or is removed; never by load, suspend, resume or swap.
 *
 * <p><b>Removing</b> is refused while a device is open, by a handle or by another device's table,
 * or requests of closed handles are still in flight, unless it is deferred: then it goes with its
 * last close. Requests that come too late fail with {@link Errno#ENODEV}, those that wait in a
 * suspended device too. No close waits for requests in flight: what they need is released when they
 * end, by a thread {@code kdmremove}.
 *
 * <h2>Devices below</h2>
 *
 * Tables name devices by device specs ({@link DeviceSpecs}). A file is opened, and locked, once for
 * all tables of this mapper; a mapped device counts as open by the table. A device cannot lie on
 * itself, directly or through others, and at most 128 can lie on one another.
 *
 * <h2>Threads</h2>
 *
 * All methods may be called from any thread. {@code suspend}, {@code resume} and {@code remove} of
 * one device take turns and return when they are done, which can be long if I/O in flight is slow;
 * meanwhile {@code info}, {@code list}, {@code load}, {@code clear}, {@code table} and {@code
 * status} answer. I/O takes no lock that others share. Table texts given to methods stay the
 * caller's, who closes them.
 */
public final class DeviceMapper implements AutoCloseable {
  /** The major number of every mapped device. */
  public static final int MAJOR = 253;

  private static final int MAX_MAJOR = (1 << 12) - 1;
  private static final int MAX_MINOR = (1 << 20) - 1;

  /** Mapped devices on one another: a request passes all of them on its thread's stack. */
  private static final int MAX_STACK = 128;

  private static final Pattern NUMBER = Pattern.compile("(\\d{1,9}):(\\d{1,9})");

  private final Map<String, TargetType> types;
  private final DeviceSpecs specs;

  // Guarded by the registry's lock.
  private final Object registry = new Object();
  private final Map<String, MappedDevice> byName = new TreeMap<>();
  private final Map<String, MappedDevice> byUuid = new HashMap<>();
  private final Map<Integer, MappedDevice> byMinor = new TreeMap<>();
  private final BitSet minors = new BitSet();
  private boolean closed;

  private DeviceMapper(Builder builder) {
    types = Collections.unmodifiableMap(new LinkedHashMap<>(builder.types));
    List<DeviceScheme> schemes = new ArrayList<>(builder.schemes);
    schemes.add(new MapperScheme(this, Path.of("/dev/mapper")));
    specs = new DeviceSpecs(schemes);
  }

  /** Starts with the target types and device schemes of the service loader. */
  public static Builder builder() {
    return new Builder();
  }

  /** Chooses target types and device schemes. */
  public static final class Builder {
    private final Map<String, TargetType> types = new LinkedHashMap<>();
    private final List<DeviceScheme> schemes = new ArrayList<>();

    private Builder() {
      ServiceLoader.load(TargetType.class).forEach(this::targetType);
    }

    /** Adds a target type; it replaces one of the same name. */
    public Builder targetType(TargetType type) {
      types.put(type.name(), type);
      return this;
    }

    /** Adds a device scheme; it replaces one of the same name. */
    public Builder deviceScheme(DeviceScheme scheme) {
      schemes.add(scheme);
      return this;
    }

    /** The mapper. */
    public DeviceMapper build() {
      return new DeviceMapper(this);
    }
  }

  /**
   * Creates a device, loads its table and resumes it; if that fails the device is removed again.
   * Without table lines it is only created.
   *
   * @throws MapperException {@code create}: {@link Errno#EBUSY} if name, uuid or minor number are
   *     in use, {@link Errno#EINVAL} for a bad name; {@code reload} and {@code resume}: as there
   */
  public DeviceInfo create(DeviceDefinition definition) throws MapperException {
    MappedDevice device = register(definition);
    if (!definition.table().isEmpty()) {
      DeviceId id = new DeviceId(definition.name(), "", device.number());
      boolean complete = false;
      try {
        load(device, definition.table(), definition.readOnly(), new Ioctl("reload", id));
        device.resume(new Ioctl("resume", id));
        complete = true;
      } finally {
        if (!complete) {
          undoCreate(device);
        }
      }
    }
    return info(device);
  }

  private MappedDevice register(DeviceDefinition definition) throws MapperException {
    String name = definition.name();
    String uuid = definition.uuid();
    int minor = definition.minor();
    DeviceNumber wanted =
        minor == DeviceDefinition.ANY_MINOR ? null : new DeviceNumber(MAJOR, minor);
    Ioctl ioctl = new Ioctl("create", new DeviceId(name, uuid, wanted));
    Names.checkNew(name, uuid, ioctl);
    if (wanted != null && (minor < 0 || minor > MAX_MINOR)) {
      throw ioctl.failure(
          Errno.EINVAL, "minor number is " + minor + ", expected 0 to " + MAX_MINOR);
    }
    synchronized (registry) {
      if (closed) {
        throw new IllegalStateException("the device mapper is closed");
      }
      if (wanted != null && minors.get(minor)) {
        throw ioctl.failure(Errno.EBUSY, "the minor number is in use");
      }
      if (byName.containsKey(name)) {
        throw ioctl.failure(Errno.EBUSY, "the name is in use by " + byName.get(name).number());
      }
      if (byUuid.containsKey(uuid)) {
        throw ioctl.failure(Errno.EBUSY, "the uuid is in use by " + byUuid.get(uuid).describe());
      }
      int free = wanted == null ? minors.nextClearBit(0) : minor;
      minors.set(free);
      MappedDevice device = new MappedDevice(registry, new DeviceNumber(MAJOR, free), name, uuid);
      byMinor.put(free, device);
      byName.put(name, device);
      if (!uuid.isEmpty()) {
        byUuid.put(uuid, device);
      }
      return device;
    }
  }

  /** Somebody may have opened the new device already; it then goes with the last close. */
  private void undoCreate(MappedDevice device) {
    synchronized (registry) {
      device.setDeferredRemove(true);
      if (device.openCount() > 0 || !unlink(device)) {
        return;
      }
    }
    destroy(device);
  }

  /**
   * Builds a table and stores it as the inactive one, instead of an earlier one.
   *
   * @param table stays the caller's
   * @param readOnly devices below are opened read-only, and the mapped device will be read-only
   * @throws MapperException {@code reload}: with the kernel's words for what is wrong in the table
   */
  public DeviceInfo load(DeviceId id, TableText table, boolean readOnly) throws MapperException {
    Ioctl ioctl = new Ioctl("reload", id);
    MappedDevice device = find(ioctl);
    load(device, table, readOnly, ioctl);
    return info(device);
  }

  private void load(MappedDevice device, TableText text, boolean readOnly, Ioctl ioctl)
      throws MapperException {
    device.load(new TableLoader(this, device, readOnly, ioctl).load(text), ioctl);
  }

  /** Drops the inactive table, if there is one. */
  public DeviceInfo clear(DeviceId id) throws MapperException {
    MappedDevice device = find(new Ioctl("clear", id));
    device.clear();
    return info(device);
  }

  /**
   * Stops I/O and waits for what is in flight. Does nothing to a suspended device.
   *
   * @throws MapperException {@code suspend}: {@link Errno#EINTR} if the thread is interrupted while
   *     it waits (its status is kept); the device goes on
   */
  public DeviceInfo suspend(DeviceId id) throws MapperException {
    Ioctl ioctl = new Ioctl("suspend", id);
    MappedDevice device = find(ioctl);
    device.suspend(ioctl);
    return info(device);
  }

  /**
   * Makes the inactive table live, if there is one, and lets I/O go on.
   *
   * @throws MapperException {@code resume}: as for suspend, the table stays inactive; {@link
   *     Errno#EINVAL} if the table does not fit the devices below any more, or there is none; what
   *     a target refuses with
   */
  public DeviceInfo resume(DeviceId id) throws MapperException {
    Ioctl ioctl = new Ioctl("resume", id);
    MappedDevice device = find(ioctl);
    device.resume(ioctl);
    return info(device);
  }

  /** Gives the device another name; an event. */
  public DeviceInfo rename(DeviceId id, String newName) throws MapperException {
    Ioctl ioctl = new Ioctl("rename", id);
    Names.checkRename(newName, ioctl);
    synchronized (registry) {
      checkUnused(byName, "name", newName, ioctl);
      MappedDevice device = findRenamed(newName, ioctl);
      byName.remove(device.name());
      device.setName(newName);
      byName.put(newName, device);
      return device.info();
    }
  }

  /** Gives a device that has no uuid one, for good; an event. */
  public DeviceInfo setUuid(DeviceId id, String uuid) throws MapperException {
    Ioctl ioctl = new Ioctl("rename", id);
    Names.checkNewUuid(uuid, ioctl);
    synchronized (registry) {
      checkUnused(byUuid, "uuid", uuid, ioctl);
      MappedDevice device = findRenamed("uuid " + uuid, ioctl);
      if (!device.uuid().isEmpty()) {
        throw ioctl.failure(
            Errno.EINVAL,
            List.of(
                "ioctl: Unable to change uuid of mapped device "
                    + id.name()
                    + " to "
                    + uuid
                    + " because uuid is already set to "
                    + device.uuid()),
            "",
            null);
      }
      device.setUuid(uuid);
      byUuid.put(uuid, device);
      return device.info();
    }
  }

  private static void checkUnused(
      Map<String, MappedDevice> used, String what, String wanted, Ioctl ioctl)
      throws MapperException {
    if (used.containsKey(wanted)) {
      throw ioctl.failure(
          Errno.EBUSY,
          List.of(
              "ioctl: Unable to change "
                  + what
                  + " on mapped device "
                  + ioctl.id().name()
                  + " to one that already exists: "
                  + wanted),
          "",
          null);
    }
  }

  private MappedDevice findRenamed(String wanted, Ioctl ioctl) throws MapperException {
    return lookup(ioctl.id())
        .orElseThrow(
            () ->
                ioctl.failure(
                    Errno.ENXIO,
                    List.of(
                        "ioctl: Unable to rename non-existent device, "
                            + ioctl.id().name()
                            + " to "
                            + wanted),
                    "",
                    null));
  }

  /**
   * Removes a device.
   *
   * @param deferred an open device goes with its last close instead of being refused
   * @return whether it is gone already
   * @throws MapperException {@code remove}: {@link Errno#EBUSY} if it is in use
   */
  public boolean remove(DeviceId id, boolean deferred) throws MapperException {
    Ioctl ioctl = new Ioctl("remove", id);
    MappedDevice device;
    synchronized (registry) {
      device = find(ioctl);
      if (device.isInUse() && !deferred) {
        throw ioctl.failure(Errno.EBUSY, use(device));
      }
      if (device.openCount() > 0) {
        device.setDeferredRemove(true);
        return false;
      }
      unlink(device);
    }
    destroy(device);
    return true;
  }

  private static String use(MappedDevice device) {
    if (device.openCount() == 0) {
      return "requests of closed handles are in flight";
    }
    String users =
        String.join(", ", device.users().stream().map(MappedDevice::describe).sorted().toList());
    return "open count is " + device.openCount() + (users.isEmpty() ? "" : ", used by " + users);
  }

  /**
   * Removes every device that is not in use, upper ones first.
   *
   * @param deferred those in use go with their last close
   * @return how many are left
   */
  public int removeAll(boolean deferred) {
    while (true) {
      List<MappedDevice> unused = new ArrayList<>();
      synchronized (registry) {
        for (MappedDevice device : List.copyOf(byMinor.values())) {
          if (!device.isInUse() && unlink(device)) {
            unused.add(device);
          } else if (deferred) {
            device.setDeferredRemove(true);
          }
        }
        if (unused.isEmpty()) {
          return byMinor.size();
        }
      }
      unused.forEach(this::destroy);
    }
  }

  /**
   * Replaces the table by one error target of the same size, so that all I/O fails: dmsetup's
   * wipe_table, and what {@code remove --force} does first (with both options). If the device
   * cannot be resumed the error table is cleared again.
   */
  public DeviceInfo wipeTable(DeviceId id) throws MapperException {
    long sectors = info(find(new Ioctl("table", id))).sectors();
    try (TableText error = TableText.of(new TableLine(0, sectors, "error", ""))) {
      load(id, error, false);
    }
    try {
      return resume(id);
    } catch (MapperException e) {
      clear(id);
      throw e;
    }
  }

  /** One device. */
  public DeviceInfo info(DeviceId id) throws MapperException {
    return info(find(new Ioctl("info", id)));
  }

  /** All devices, by name. */
  public List<DeviceInfo> list() {
    synchronized (registry) {
      return byName.values().stream().map(MappedDevice::info).toList();
    }
  }

  /**
   * The arguments that make the table again, line by line; empty without a table.
   *
   * @param showKeys whether keys are shown; otherwise zeros stand for them
   */
  public List<TargetStatus> table(DeviceId id, Slot slot, boolean showKeys) throws MapperException {
    return find(new Ioctl("table", id)).table(slot, showKeys);
  }

  /** What the targets say of their state, line by line; empty without a table. */
  public List<TargetStatus> status(DeviceId id, Slot slot) throws MapperException {
    return find(new Ioctl("status", id)).status(slot);
  }

  /** The device with its live table, as {@code table --concise} prints it. The caller closes it. */
  public DeviceDefinition definition(DeviceId id, boolean showKeys) throws MapperException {
    MappedDevice device = find(new Ioctl("table", id));
    TableLine[] lines =
        device.table(Slot.LIVE, showKeys).stream()
            .map(line -> new TableLine(line.start(), line.length(), line.type(), line.text()))
            .toArray(TableLine[]::new);
    DeviceInfo info = info(device);
    return new DeviceDefinition(
        info.name(), info.uuid(), info.number().minor(), info.readOnly(), TableText.of(lines));
  }

  /** The devices that a table uses, each once, the one opened last first; empty without a table. */
  public List<Dependency> deps(DeviceId id, Slot slot) throws MapperException {
    return find(new Ioctl("deps", id)).dependencies(slot);
  }

  /**
   * Waits until the event counter differs from {@code eventNumber}, which it may do at once.
   *
   * @return the counter; equal to {@code eventNumber} if the time is over
   * @throws MapperException {@code waitevent}: {@link Errno#ENXIO} if there is no such device, or
   *     it goes without an event
   */
  public long waitEvent(DeviceId id, long eventNumber, Duration timeout)
      throws MapperException, InterruptedException {
    Ioctl ioctl = new Ioctl("waitevent", id);
    OptionalLong number = find(ioctl).events().await(eventNumber, nanos(timeout));
    if (number.isEmpty()) {
      throw ioctl.failure(Errno.ENXIO, "the device was removed");
    }
    return number.getAsLong();
  }

  private static long nanos(Duration timeout) {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    return timeout.compareTo(longest) > 0 ? Long.MAX_VALUE : timeout.toNanos();
  }

  /**
   * Sends a message to the target at a sector, or to the mapper itself if it starts with {@code @}.
   *
   * @param sector on the mapped device; not looked at for the mapper's own messages
   * @param words stay the caller's
   * @return the reply, or an empty string
   */
  public String message(DeviceId id, long sector, Arguments words) throws MapperException {
    Ioctl ioctl = new Ioctl("message", id);
    MappedDevice device = find(ioctl);
    if (words.remaining() == 0) {
      throw ioctl.failure(Errno.EINVAL, List.of("ioctl: Empty message received."), "", null);
    }
    return words.nextStartsWith('@')
        ? coreMessage(device, words, ioctl)
        : device.message(sector, words, ioctl);
  }

  private String coreMessage(MappedDevice device, Arguments words, Ioctl ioctl)
      throws MapperException {
    int count = words.remaining();
    String word;
    try {
      word = words.next("message", "");
    } catch (TargetException e) {
      throw new IllegalStateException(e);
    }
    if (!word.equalsIgnoreCase("@cancel_deferred_remove")) {
      throw ioctl.failure(
          Errno.EINVAL, List.of("ioctl: Unsupported message sent to DM core: " + word), "", null);
    }
    if (count != 1) {
      throw ioctl.failure(
          Errno.EINVAL,
          List.of("ioctl: Invalid arguments for @cancel_deferred_remove"),
          "it has " + count + " words, expected 1",
          null);
    }
    synchronized (registry) {
      device.setDeferredRemove(false);
    }
    return "";
  }

  /** The target types, the latest registered first, as dmsetup lists them. */
  public List<TargetType> targets() {
    List<TargetType> targets = new ArrayList<>(types.values());
    Collections.reverse(targets);
    return targets;
  }

  /** The device's counters, which go on counting. */
  public IoStatistics statistics(DeviceId id) throws MapperException {
    return find(new Ioctl("status", id)).statistics();
  }

  /**
   * Opens a device; it counts as open until the handle is closed. Size, limits and capabilities of
   * the handle follow the live table. While the device is suspended requests wait, and keep their
   * thread's interrupt status.
   *
   * @param writable whether writes are wanted; they also need a table that is not read-only
   */
  public BlockDevice open(DeviceId id, boolean writable) throws MapperException {
    synchronized (registry) {
      return open(find(new Ioctl("open", id)), null, writable);
    }
  }

  /** Opens any device spec, a mapped device or another. */
  public BlockDevice openSpec(String spec, boolean writable) throws IOException {
    return specs.open(spec, writable);
  }

  /**
   * Removes all devices, open or not. I/O on open handles, also that which waits, fails with {@link
   * Errno#ENODEV} from then on. Returns when all is released.
   */
  @Override
  public void close() {
    List<MappedDevice> devices;
    synchronized (registry) {
      closed = true;
      devices = new ArrayList<>(byMinor.values());
      devices.forEach(this::unlink);
    }
    devices.forEach(MappedDevice::closeGate);
    while (!devices.isEmpty()) {
      MappedDevice top = uppermost(devices);
      finish(top);
      devices.remove(top);
    }
    awaitOtherRemoves();
  }

  /** Devices that others have taken out are theirs to finish. */
  private void awaitOtherRemoves() {
    boolean interrupted = false;
    synchronized (registry) {
      while (!minors.isEmpty()) {
        try {
          registry.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private MappedDevice uppermost(Collection<MappedDevice> devices) {
    synchronized (registry) {
      return devices.stream()
          .filter(device -> Collections.disjoint(device.users(), devices))
          .findFirst()
          .orElseThrow();
    }
  }

  // What tables under construction need.

  /** The type of this name, or null. */
  TargetType targetType(String name) {
    return types.get(name);
  }

  String canonicalName(String spec) throws IOException {
    return specs.canonicalName(spec);
  }

  /**
   * Opens a device for a table.
   *
   * @param user the device that gets the table; null for others who open a mapped device by number
   * @param canonicalName of the device to be opened
   */
  BlockDevice openFor(MappedDevice user, String canonicalName, boolean writable)
      throws IOException {
    Optional<DeviceNumber> number = parseNumber(canonicalName);
    if (number.isEmpty()) {
      return specs.open(canonicalName, writable);
    }
    synchronized (registry) {
      MappedDevice device = byNumber(number.get());
      if (user != null && user.carries(device)) {
        throw new DeviceException(
            Errno.EINVAL,
            device == user
                ? "a device cannot lie on itself: " + device.describe()
                : device.describe() + " lies on " + user.describe() + " itself");
      }
      if (user != null && user.stackOn(device) > MAX_STACK) {
        throw new DeviceException(
            Errno.ELOOP,
            "with "
                + device.describe()
                + " below it a stack would have more than "
                + MAX_STACK
                + " mapped devices");
      }
      return open(device, user, writable);
    }
  }

  private MappedDevice byNumber(DeviceNumber number) throws DeviceException {
    if (number.major() > MAX_MAJOR || number.minor() > MAX_MINOR) {
      throw new DeviceException(
          Errno.EOVERFLOW, number + " is no device number: at most " + MAX_MAJOR + ":" + MAX_MINOR);
    }
    MappedDevice device = number.major() == MAJOR ? byMinor.get(number.minor()) : null;
    if (device == null) {
      throw new DeviceException(
          Errno.ENXIO,
          "there is no mapped device "
              + number
              + "; other devices than mapped ones are named by their path");
    }
    return device;
  }

  private OpenDevice open(MappedDevice device, MappedDevice user, boolean writable) {
    device.countOpen(user);
    return new OpenDevice(this, device, user, writable);
  }

  /** A handle is closed. */
  void release(MappedDevice device, MappedDevice user) {
    synchronized (registry) {
      device.countClose(user);
      if (device.openCount() > 0 || !device.isDeferredRemove() || !unlink(device)) {
        return;
      }
    }
    destroy(device);
  }

  /** The number of the device of this name. */
  Optional<DeviceNumber> numberOf(String name) {
    synchronized (registry) {
      return Optional.ofNullable(byName.get(name)).map(MappedDevice::number);
    }
  }

  /** Reads {@code major:minor}. */
  static Optional<DeviceNumber> parseNumber(String text) {
    Matcher matcher = NUMBER.matcher(text);
    return matcher.matches()
        ? Optional.of(
            new DeviceNumber(
                Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  private DeviceInfo info(MappedDevice device) {
    synchronized (registry) {
      return device.info();
    }
  }

  private MappedDevice find(Ioctl ioctl) throws MapperException {
    return lookup(ioctl.id())
        .orElseThrow(() -> ioctl.failure(Errno.ENXIO, "there is no such device"));
  }

  private Optional<MappedDevice> lookup(DeviceId id) {
    synchronized (registry) {
      if (!id.name().isEmpty()) {
        return Optional.ofNullable(byName.get(id.name()));
      }
      if (!id.uuid().isEmpty()) {
        return Optional.ofNullable(byUuid.get(id.uuid()));
      }
      boolean mapped = id.number() != null && id.number().major() == MAJOR;
      return mapped ? Optional.ofNullable(byMinor.get(id.number().minor())) : Optional.empty();
    }
  }

  /**
   * Takes a device out of the registry, where nobody finds it any more.
   *
   * @return false if somebody did so before
   */
  private boolean unlink(MappedDevice device) {
    if (!byMinor.remove(device.number().minor(), device)) {
      return false;
    }
    byName.remove(device.name());
    byUuid.remove(device.uuid());
    device.setRemoved();
    return true;
  }

  /** Ends a device that was taken out, in a thread of its own if requests are still in flight. */
  private void destroy(MappedDevice device) {
    device.closeGate();
    if (device.isIoInFlight()) {
      Thread thread = new Thread(() -> finish(device), "kdmremove");
      thread.setDaemon(true);
      thread.start();
    } else {
      finish(device);
    }
  }

  /** Waits for requests in flight and releases everything, at last the minor number. */
  private void finish(MappedDevice device) {
    try {
      device.destroy();
    } finally {
      synchronized (registry) {
        minors.clear(device.number().minor());
        registry.notifyAll();
      }
    }
  }
}
