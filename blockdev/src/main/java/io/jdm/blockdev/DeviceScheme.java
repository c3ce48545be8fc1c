package io.jdm.blockdev;

import java.io.IOException;

/**
 * A way to name devices: the part of a device spec before the colon. Found through {@link
 * java.util.ServiceLoader} or given to {@link DeviceSpecs}. Stateless or thread-safe.
 */
public interface DeviceScheme {
  /** The word before the colon: at least two characters of {@code a-z 0-9 + -}. */
  String name();

  /** The form in one line, for messages: {@code mem:SIZE}. */
  String usage();

  /**
   * Whether a spec without this scheme's prefix is meant for it all the same: {@code
   * /dev/mapper/NAME}, {@code 253:0}.
   *
   * @throws IOException if it could be two things
   */
  default boolean claims(String spec) throws IOException {
    return false;
  }

  /**
   * The one name of the device: equal for all specs of the same device, accepted back as a spec,
   * and what {@code table} prints. Need not exist.
   *
   * @param spec without {@code name():}, or whole if it was claimed
   */
  String canonicalName(String spec) throws IOException;

  /**
   * Opens the device.
   *
   * @param canonicalName as {@link #canonicalName} gave it
   * @param specs to open a device that this one lies on
   * @throws DeviceException if it cannot be opened, with what the system says
   */
  BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs) throws IOException;

  /**
   * Whether {@link DeviceSpecs} opens it once for all who ask, first read-only and again when
   * somebody wants to write. Otherwise every request opens it anew.
   */
  default boolean shared() {
    return true;
  }
}
