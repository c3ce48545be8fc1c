package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import java.util.Set;

/** A device that refuses every change of the device below. */
public final class ReadOnlyDevice extends LayerDevice {
  private ReadOnlyDevice(BlockDevice below) {
    super(below);
  }

  /** A view of a device without {@link Capability#WRITE}. */
  public static ReadOnlyDevice of(BlockDevice below) {
    return new ReadOnlyDevice(below);
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public String describe() {
    return "read-only view of " + below.describe();
  }
}
