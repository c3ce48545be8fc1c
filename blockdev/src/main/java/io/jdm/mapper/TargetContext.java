package io.jdm.mapper;

/**
 * What a target under construction may know and ask for. Valid during {@link TargetType#create}
 * only.
 *
 * <p>As in the kernel, the areas of devices that a target names are checked against the devices'
 * sizes and block sizes when the whole table is there, not by the constructor.
 */
public interface TargetContext {
  /** The name of the mapped device, for thread names. */
  String deviceName();

  /** First sector of the target on the mapped device. */
  long start();

  /** Sectors of the target; above 0. */
  long length();

  /** Whether the table is read-only; devices are then opened read-only. */
  boolean readOnly();

  /**
   * What the target runs, at any later time and from any thread, to count an event of the mapped
   * device and wake those who wait for it. Does nothing while the device has no live table.
   */
  Runnable event();

  /**
   * Opens a device for the table, or finds it if the table has it already. The table closes it.
   *
   * @param spec a device spec: path, {@code major:minor} of a mapped device, {@code mapper:NAME},
   *     {@code mem:SIZE} ...
   * @throws TargetException "Device lookup failed" with the lookup's error number
   */
  BackingDevice device(String spec) throws TargetException;

  /**
   * Opens a device of which the target uses an area that must lie inside it and fit its block size
   * and the target's; the table is refused otherwise, with the kernel's messages.
   *
   * @param offset first sector of the area on the device
   * @param length sectors of the area
   */
  BackingDevice device(String spec, long offset, long length) throws TargetException;

  /** Opens a device of which the target uses {@link #length()} sectors from {@code offset} on. */
  default BackingDevice device(String spec, long offset) throws TargetException {
    return device(spec, offset, length());
  }
}
