package io.jdm.mapper;

import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.Sectors;
import io.jdm.blockdev.io.IoStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A mapped device: its two tables, the gate for I/O, and the state machine of spec/dm-core.md
 * section 3.
 *
 * <p>What the registry knows (names, opens, users, flags, the inactive table) is guarded by the
 * registry's lock, held for moments only. Suspending, resuming and destroying take turns under
 * {@code control}, which may be held long while requests in flight end; nobody waits for it while
 * holding the registry's lock. Stacked devices are locked from the upper to the lower. I/O takes no
 * lock.
 */
final class MappedDevice {
  private static final Set<Capability> READ_ONLY = Set.of();

  private final Object registry;
  private final DeviceNumber number;
  private final IoGate gate = new IoGate();
  private final IoStatistics statistics = new IoStatistics();
  private final EventCounter events = new EventCounter();
  private final ReentrantLock control = new ReentrantLock();

  private volatile String name;
  private volatile String uuid;
  private volatile Table live;
  private volatile boolean suspended;

  // Guarded by the registry's lock, from here on.
  private Table inactive;
  private boolean tableAccepted;
  private int openCount;
  private boolean deferredRemove;
  private boolean removed;

  /** Mapped devices whose tables have this one open, and how often. */
  private final Map<MappedDevice, Integer> users = new HashMap<>();

  /** Mapped devices that this one's tables have open, and how often. */
  private final Map<MappedDevice, Integer> lowers = new HashMap<>();

  /**
   * @param registry the registry's lock
   */
  MappedDevice(Object registry, DeviceNumber number, String name, String uuid) {
    this.registry = registry;
    this.number = number;
    this.name = name;
    this.uuid = uuid;
  }

  DeviceNumber number() {
    return number;
  }

  String name() {
    return name;
  }

  String uuid() {
    return uuid;
  }

  IoStatistics statistics() {
    return statistics;
  }

  EventCounter events() {
    return events;
  }

  String describe() {
    return "mapped device " + name + " (" + number + ")";
  }

  /** How the kernel begins a line about a table of this device. */
  String logPrefix() {
    return "table: " + number + ": ";
  }

  // What the registry asks and tells, holding its lock.

  void setName(String newName) {
    name = newName;
    raiseEvent();
  }

  void setUuid(String newUuid) {
    uuid = newUuid;
    raiseEvent();
  }

  /** Events are raised through the live table; without one there are none. Needs no lock. */
  void raiseEvent() {
    if (live != null) {
      events.raise();
    }
  }

  int openCount() {
    return openCount;
  }

  /** Whether it is open, or requests are in flight of those who closed it meanwhile. */
  boolean isInUse() {
    return openCount > 0 || isIoInFlight();
  }

  boolean isDeferredRemove() {
    return deferredRemove;
  }

  void setDeferredRemove(boolean deferred) {
    deferredRemove = deferred;
  }

  void setRemoved() {
    removed = true;
    raiseEvent();
    events.end();
  }

  /**
   * Counts an opener.
   *
   * @param user the device whose table opens this one, or null
   */
  void countOpen(MappedDevice user) {
    openCount++;
    if (user != null) {
      users.merge(user, 1, Integer::sum);
      user.lowers.merge(this, 1, Integer::sum);
    }
  }

  /** Counts an opener out again. */
  void countClose(MappedDevice user) {
    openCount--;
    if (user != null) {
      users.computeIfPresent(user, (device, times) -> times == 1 ? null : times - 1);
      user.lowers.computeIfPresent(this, (device, times) -> times == 1 ? null : times - 1);
    }
  }

  /** The devices whose tables have this one open. */
  Set<MappedDevice> users() {
    return users.keySet();
  }

  /** Whether that device is this one or lies on it, through however many tables. */
  boolean carries(MappedDevice other) {
    Set<MappedDevice> seen = new HashSet<>(Set.of(this));
    Deque<MappedDevice> next = new ArrayDeque<>(seen);
    while (!next.isEmpty()) {
      MappedDevice device = next.remove();
      if (device == other) {
        return true;
      }
      for (MappedDevice user : device.users()) {
        if (seen.add(user)) {
          next.add(user);
        }
      }
    }
    return false;
  }

  /** How many devices the longest stack would have in which this one lies on another. */
  int stackOn(MappedDevice lower) {
    return levels(MappedDevice::users) + lower.levels(device -> device.lowers.keySet());
  }

  /** How many devices the longest way from this one has, itself included. */
  private int levels(Function<MappedDevice, Set<MappedDevice>> onward) {
    int levels = 0;
    for (Set<MappedDevice> level = Set.of(this); !level.isEmpty(); levels++) {
      Set<MappedDevice> next = new HashSet<>();
      for (MappedDevice device : level) {
        next.addAll(onward.apply(device));
      }
      level = next;
    }
    return levels;
  }

  DeviceInfo info() {
    Table current = live;
    return new DeviceInfo(
        name,
        uuid,
        number,
        suspended,
        current != null && current.readOnly(),
        current != null,
        inactive != null,
        openCount,
        events.number(),
        current == null ? 0 : current.targetCount(),
        inactive == null ? 0 : inactive.targetCount(),
        current == null ? 0 : Sectors.fromBytes(current.size()),
        deferredRemove);
  }

  // Tables.

  /**
   * Makes a checked table the inactive one; what was there goes. The table is closed if refused.
   */
  void load(Table table, Ioctl ioctl) throws MapperException {
    Table surplus = table;
    try {
      checkReplaceable(table, ioctl);
      synchronized (registry) {
        if (!tableAccepted) {
          checkFirst(table, ioctl);
        }
        if (removed) {
          throw ioctl.failure(
              Errno.ENXIO, List.of("ioctl: device has been removed during table load."), "", null);
        }
        tableAccepted = true;
        surplus = inactive;
        inactive = table;
      }
    } finally {
      if (surplus != null) {
        surplus.close();
      }
    }
  }

  private void checkReplaceable(Table table, Ioctl ioctl) throws MapperException {
    Optional<TargetType> immutable = ask(() -> live, Table::immutableType, Optional.empty());
    if (immutable.isPresent() && !immutable.equals(table.immutableType())) {
      throw ioctl.failure(
          Errno.EINVAL,
          List.of("ioctl: can't replace immutable target type " + immutable.get().name()),
          "",
          null);
    }
  }

  /**
   * The kernel compares a device's first table with the devices below at once, others at the swap.
   */
  private void checkFirst(Table table, Ioctl ioctl) throws MapperException {
    String problem = table.prepare();
    if (!problem.isEmpty()) {
      throw ioctl.failure(
          Errno.EINVAL,
          List.of(
              logPrefix() + problem,
              "core: Cannot calculate initial queue limits",
              "ioctl: unable to set up device queue for new table."),
          "",
          null);
    }
  }

  /** Drops the inactive table. */
  void clear() {
    Table dropped = takeInactive();
    if (dropped != null) {
      dropped.close();
    }
  }

  private Table takeInactive() {
    synchronized (registry) {
      Table taken = inactive;
      inactive = null;
      return taken;
    }
  }

  List<TargetStatus> status(Slot slot) {
    return ask(() -> table(slot), Table::status, List.of());
  }

  List<TargetStatus> table(Slot slot, boolean showKeys) {
    return ask(() -> table(slot), table -> table.table(showKeys), List.of());
  }

  List<Dependency> dependencies(Slot slot) {
    return ask(() -> table(slot), Table::dependencies, List.of());
  }

  private Table table(Slot slot) {
    if (slot == Slot.LIVE) {
      return live;
    }
    synchronized (registry) {
      return inactive;
    }
  }

  /** Asks a table; if it is closed in the meantime (no answer), asks the one that came after it. */
  private static <T> T ask(Supplier<Table> slot, Function<Table, T> question, T withoutTable) {
    for (Table table = slot.get(); table != null; table = slot.get()) {
      T answer = question.apply(table);
      if (answer != null) {
        return answer;
      }
    }
    return withoutTable;
  }

  /** Sends a message to the target at a sector of the live table. */
  String message(long sector, Arguments words, Ioctl ioctl) throws MapperException {
    for (Table table = live; table != null; table = live) {
      if (sector < 0 || sector >= Sectors.fromBytes(table.size())) {
        throw ioctl.failure(
            Errno.EINVAL,
            List.of("ioctl: Target message sector outside device."),
            "sector is " + sector + ", the device has " + Sectors.fromBytes(table.size()),
            null);
      }
      try {
        String reply = table.message(sector, words);
        if (reply != null) {
          return reply;
        }
      } catch (TargetException e) {
        String module =
            e.reason().equals(Target.NO_MESSAGES) ? "ioctl" : table.typeAt(sector).name();
        throw ioctl.failure(
            e.errno(),
            e.reason().isEmpty() ? List.of() : List.of(module + ": " + e.reason()),
            e.detail(),
            e);
      }
    }
    throw ioctl.failure(Errno.ENXIO, List.of("ioctl: The device has no table."), "", null);
  }

  // The state machine.

  void suspend(Ioctl ioctl) throws MapperException {
    control.lock();
    try {
      if (!suspended) {
        stop(ioctl);
      }
    } finally {
      control.unlock();
    }
  }

  private void stop(Ioctl ioctl) throws MapperException {
    Table table = live;
    if (table != null) {
      table.presuspend();
    }
    gate.stop();
    try {
      gate.drain();
    } catch (InterruptedException e) {
      gate.open();
      if (table != null) {
        table.presuspendUndo();
      }
      Thread.currentThread().interrupt();
      throw ioctl.failure(Errno.EINTR, List.of(), "interrupted while requests were in flight", e);
    }
    suspended = true;
    if (table != null) {
      table.postsuspend();
    }
  }

  void resume(Ioctl ioctl) throws MapperException {
    control.lock();
    try {
      Table old = swap(ioctl);
      try {
        if (suspended) {
          start(ioctl);
        }
      } finally {
        if (old != null) {
          old.close();
        }
      }
    } finally {
      control.unlock();
    }
  }

  /**
   * Makes the inactive table live, if there is one.
   *
   * @return the table that was live, for closing; may be null
   */
  private Table swap(Ioctl ioctl) throws MapperException {
    Table next = takeInactive();
    if (next == null) {
      return null;
    }
    if (!suspended) {
      try {
        stop(ioctl);
      } catch (MapperException e) {
        putBack(next);
        throw e;
      }
    }
    String problem = next.prepare();
    if (!problem.isEmpty()) {
      next.close();
      throw ioctl.failure(Errno.EINVAL, List.of(logPrefix() + problem), "", null);
    }
    Table old = live;
    live = next;
    return old;
  }

  /** Unless another table was loaded in the meantime. */
  private void putBack(Table table) {
    synchronized (registry) {
      if (inactive == null && !removed) {
        inactive = table;
        return;
      }
    }
    table.close();
  }

  private void start(Ioctl ioctl) throws MapperException {
    Table table = live;
    if (table == null) {
      throw ioctl.failure(Errno.EINVAL, "there is no table to resume with");
    }
    Optional<Table.Refusal> refusal = table.preresume();
    if (refusal.isPresent()) {
      throw refused(ioctl, refusal.get());
    }
    table.resume();
    suspended = false;
    gate.open();
  }

  private MapperException refused(Ioctl ioctl, Table.Refusal refusal) {
    String type = refusal.type().name();
    TargetException reason = refusal.reason();
    String failed = logPrefix() + type + ": preresume failed, error = -" + reason.errno().number();
    return ioctl.failure(
        reason.errno(),
        reason.reason().isEmpty()
            ? List.of(failed)
            : List.of(type + ": " + reason.reason(), failed),
        reason.detail(),
        reason);
  }

  /**
   * Lets requests in flight end, turns others away, and releases everything. The device must be
   * marked as removed; it may still be open if the whole mapper goes.
   */
  void destroy() {
    control.lock();
    try {
      Table table = live;
      boolean running = table != null && !suspended;
      if (running) {
        table.presuspend();
      }
      gate.close();
      gate.drainUninterruptibly();
      if (running) {
        table.postsuspend();
      }
      live = null;
      if (table != null) {
        table.close();
      }
      clear();
    } finally {
      control.unlock();
    }
  }

  /** Whether requests are on their way through the live table; those that wait do not count. */
  boolean isIoInFlight() {
    return !gate.isEmpty();
  }

  /** Turns all I/O away from now on, also that which waits. */
  void closeGate() {
    gate.close();
  }

  // I/O.

  /** In bytes; 0 without a table. */
  long size() {
    Table table = live;
    return table == null ? 0 : table.size();
  }

  Limits limits() {
    Table table = live;
    return table == null ? Limits.SECTORS : table.limits();
  }

  Set<Capability> capabilities() {
    Table table = live;
    return table == null ? READ_ONLY : table.capabilities();
  }

  void read(long offset, ByteBuffer dst) throws IOException {
    int length = dst.remaining();
    int stripe = enter();
    long begin = statistics.begin();
    try {
      liveTable().read(offset, dst);
    } finally {
      statistics.end(IoStatistics.Kind.READ, begin, length);
      gate.leave(stripe);
    }
  }

  void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    int length = src.remaining();
    int stripe = enter();
    long begin = statistics.begin();
    try {
      liveTable().write(offset, src, fua);
    } finally {
      statistics.end(IoStatistics.Kind.WRITE, begin, length);
      gate.leave(stripe);
    }
  }

  void flush() throws IOException {
    int stripe = enter();
    long begin = statistics.begin();
    try {
      liveTable().flush();
    } finally {
      statistics.end(IoStatistics.Kind.FLUSH, begin, 0);
      gate.leave(stripe);
    }
  }

  void discard(long offset, long length) throws IOException {
    int stripe = enter();
    long begin = statistics.begin();
    try {
      liveTable().discard(offset, length);
    } finally {
      statistics.end(IoStatistics.Kind.DISCARD, begin, length);
      gate.leave(stripe);
    }
  }

  void writeZeroes(long offset, long length) throws IOException {
    int stripe = enter();
    long begin = statistics.begin();
    try {
      liveTable().writeZeroes(offset, length);
    } finally {
      statistics.end(IoStatistics.Kind.WRITE, begin, length);
      gate.leave(stripe);
    }
  }

  Extent extent(long offset, long length) throws IOException {
    int stripe = enter();
    try {
      return liveTable().extent(offset, length);
    } finally {
      gate.leave(stripe);
    }
  }

  private int enter() throws DeviceException {
    int stripe = gate.enter();
    if (stripe == IoGate.GONE) {
      throw new DeviceException(Errno.ENODEV, "the device was removed: " + describe());
    }
    return stripe;
  }

  private Table liveTable() throws DeviceException {
    Table table = live;
    if (table == null) {
      throw new DeviceException(Errno.EIO, "there is no table: " + describe());
    }
    return table;
  }
}
