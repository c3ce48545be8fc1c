package io.jdm.mapper;

/**
 * What a target under construction may know and ask for. Valid during {@link TargetType#create}
 * only.
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
   * Opens a device for the table, or finds it if the table has it already.
   *
   * @param spec a device spec: path, {@code major:minor} of a mapped device, {@code mapper:NAME},
   *     {@code mem:SIZE} ...
   * @throws TargetException "Device lookup failed" with the lookup's error number
   */
  BackingDevice device(String spec) throws TargetException;

  /**
   * Opens a device and checks that {@code length()} sectors from {@code offset} sectors on lie
   * inside it and fit its block size, with the kernel's messages.
   */
  BackingDevice device(String spec, long offset) throws TargetException;
}
