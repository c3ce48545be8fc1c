package io.jdm.blockdev;

import io.jdm.mapper.Pending;
import java.io.IOException;
import java.util.List;

/**
 * Opens devices by their spec: {@code PATH}, {@code file:PATH}, {@code mem:SIZE}, and whatever
 * schemes are there. A scheme has at least two letters, so {@code C:\x} is a path. Thread-safe.
 */
public final class DeviceSpecs {
  /** The schemes of the service loader and these, which replace those of the same name. */
  public DeviceSpecs(List<DeviceScheme> schemes) {
    Pending.body();
  }

  /**
   * The one name of a device: equal for all its specs, and a spec itself.
   *
   * @throws DeviceException {@link Errno#EINVAL} for a scheme that nobody has
   */
  public String canonicalName(String spec) throws IOException {
    return Pending.body();
  }

  /** Opens a device; the caller closes what it gets, which others may have open as well. */
  public BlockDevice open(String spec, boolean writable) throws IOException {
    return Pending.body();
  }
}
