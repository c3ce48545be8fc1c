package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceScheme;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The registry of mapped devices. */
public final class DeviceMapper implements AutoCloseable {
  /** The major number of every mapped device. */
  public static final int MAJOR = 253;

  private DeviceMapper() {}

  /** Starts with the target types and device schemes of the service loader. */
  public static Builder builder() {
    return new Builder();
  }

  /** Chooses target types and device schemes. */
  public static final class Builder {
    /** Adds a target type; it replaces one of the same name. */
    public Builder targetType(TargetType type) {
      return Pending.body();
    }

    /** Adds a device scheme; it replaces one of the same name. */
    public Builder deviceScheme(DeviceScheme scheme) {
      return Pending.body();
    }

    /** The mapper. */
    public DeviceMapper build() {
      return Pending.body();
    }
  }

  /**
   * Creates a device, loads its table and resumes it; if that fails the device is removed again.
   * Without table lines it is only created.
   */
  public DeviceInfo create(DeviceDefinition definition) throws MapperException {
    return Pending.body();
  }

  /** Builds the table and stores it as the inactive one, instead of an earlier one. */
  public DeviceInfo load(DeviceId id, TableText table, boolean readOnly) throws MapperException {
    return Pending.body();
  }

  /** Drops the inactive table. */
  public DeviceInfo clear(DeviceId id) throws MapperException {
    return Pending.body();
  }

  /** Stops I/O and waits for what is in flight. */
  public DeviceInfo suspend(DeviceId id, SuspendOption... options) throws MapperException {
    return Pending.body();
  }

  /** Makes the inactive table live, if there is one, and lets I/O go on. */
  public DeviceInfo resume(DeviceId id, SuspendOption... options) throws MapperException {
    return Pending.body();
  }

  /** Gives the device another name; an event. */
  public DeviceInfo rename(DeviceId id, String newName) throws MapperException {
    return Pending.body();
  }

  /** Gives a device without uuid one; an event. */
  public DeviceInfo setUuid(DeviceId id, String uuid) throws MapperException {
    return Pending.body();
  }

  /**
   * Removes a device.
   *
   * @param deferred an open device goes with its last close instead of being refused
   * @return whether it is gone already
   */
  public boolean remove(DeviceId id, boolean deferred) throws MapperException {
    return Pending.body();
  }

  /**
   * Removes every device that is not in use.
   *
   * @return how many are left
   */
  public int removeAll(boolean deferred) {
    return Pending.body();
  }

  /**
   * Replaces the table by one error target of the same size, so that all I/O fails: dmsetup's
   * wipe_table, and what {@code remove --force} does first.
   */
  public DeviceInfo wipeTable(DeviceId id, SuspendOption... options) throws MapperException {
    return Pending.body();
  }

  /** One device. */
  public DeviceInfo info(DeviceId id) throws MapperException {
    return Pending.body();
  }

  /** All devices, by name. */
  public List<DeviceInfo> list() {
    return Pending.body();
  }

  /** The arguments that make the table again; empty without one. */
  public List<TargetStatus> table(DeviceId id, Slot slot, boolean showKeys) throws MapperException {
    return Pending.body();
  }

  /** What the targets say of their state; empty without a table. */
  public List<TargetStatus> status(DeviceId id, Slot slot) throws MapperException {
    return Pending.body();
  }

  /** The device as its concise form has it. */
  public DeviceDefinition definition(DeviceId id, boolean showKeys) throws MapperException {
    return Pending.body();
  }

  /** The devices that a table uses, each once. */
  public List<Dependency> deps(DeviceId id, Slot slot) throws MapperException {
    return Pending.body();
  }

  /**
   * Waits until the event counter differs from {@code eventNumber}.
   *
   * @return the counter; equal to {@code eventNumber} if the time is over
   */
  public long waitEvent(DeviceId id, long eventNumber, Duration timeout)
      throws MapperException, InterruptedException {
    return Pending.body();
  }

  /**
   * Sends a message to the target at a sector, or to the mapper itself if it starts with {@code @}.
   *
   * @return the reply, or an empty string
   */
  public String message(DeviceId id, long sector, Arguments words) throws MapperException {
    return Pending.body();
  }

  /** The target types, the latest registered first, as dmsetup lists them. */
  public List<TargetType> targets() {
    return Pending.body();
  }

  /** Opens a device; it counts as open until the handle is closed. */
  public BlockDevice open(DeviceId id, boolean writable) throws MapperException {
    return Pending.body();
  }

  /** Opens any device spec, a mapped device or another. */
  public BlockDevice openSpec(String spec, boolean writable) throws IOException {
    return Pending.body();
  }

  /** Removes all devices, open or not; I/O on open handles fails from then on. */
  @Override
  public void close() {
    Pending.body();
  }
}
