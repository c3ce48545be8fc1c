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
      throw new UnsupportedOperationException();
    }

    /** Adds a device scheme; it replaces one of the same name. */
    public Builder deviceScheme(DeviceScheme scheme) {
      throw new UnsupportedOperationException();
    }

    /** The mapper. */
    public DeviceMapper build() {
      throw new UnsupportedOperationException();
    }
  }

  /**
   * Creates a device, loads its table and resumes it; if that fails the device is removed again.
   * Without table lines it is only created.
   */
  public DeviceInfo create(DeviceDefinition definition) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** Builds the table and stores it as the inactive one, instead of an earlier one. */
  public DeviceInfo load(DeviceId id, TableText table, boolean readOnly) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** Drops the inactive table. */
  public DeviceInfo clear(DeviceId id) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** Stops I/O and waits for what is in flight. */
  public DeviceInfo suspend(DeviceId id, SuspendOption... options) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** Makes the inactive table live, if there is one, and lets I/O go on. */
  public DeviceInfo resume(DeviceId id, SuspendOption... options) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** Gives the device another name; an event. */
  public DeviceInfo rename(DeviceId id, String newName) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** Gives a device without uuid one; an event. */
  public DeviceInfo setUuid(DeviceId id, String uuid) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /**
   * Removes a device.
   *
   * @param deferred an open device goes with its last close instead of being refused
   * @return whether it is gone already
   */
  public boolean remove(DeviceId id, boolean deferred) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /**
   * Removes every device that is not in use.
   *
   * @return how many are left
   */
  public int removeAll(boolean deferred) {
    throw new UnsupportedOperationException();
  }

  /**
   * Replaces the table by one error target of the same size, so that all I/O fails: dmsetup's
   * wipe_table, and what {@code remove --force} does first.
   */
  public DeviceInfo wipeTable(DeviceId id, SuspendOption... options) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** One device. */
  public DeviceInfo info(DeviceId id) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** All devices, by name. */
  public List<DeviceInfo> list() {
    throw new UnsupportedOperationException();
  }

  /** The arguments that make the table again; empty without one. */
  public List<TargetStatus> table(DeviceId id, Slot slot, boolean showKeys) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** What the targets say of their state; empty without a table. */
  public List<TargetStatus> status(DeviceId id, Slot slot) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** The device as its concise form has it. */
  public DeviceDefinition definition(DeviceId id, boolean showKeys) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** The devices that a table uses, each once. */
  public List<Dependency> deps(DeviceId id, Slot slot) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /**
   * Waits until the event counter differs from {@code eventNumber}.
   *
   * @return the counter; equal to {@code eventNumber} if the time is over
   */
  public long waitEvent(DeviceId id, long eventNumber, Duration timeout)
      throws MapperException, InterruptedException {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends a message to the target at a sector, or to the mapper itself if it starts with {@code @}.
   *
   * @return the reply, or an empty string
   */
  public String message(DeviceId id, long sector, Arguments words) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** The target types, the latest registered first, as dmsetup lists them. */
  public List<TargetType> targets() {
    throw new UnsupportedOperationException();
  }

  /** Opens a device; it counts as open until the handle is closed. */
  public BlockDevice open(DeviceId id, boolean writable) throws MapperException {
    throw new UnsupportedOperationException();
  }

  /** Opens any device spec, a mapped device or another. */
  public BlockDevice openSpec(String spec, boolean writable) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Removes all devices, open or not; I/O on open handles fails from then on. */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
