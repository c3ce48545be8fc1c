package io.jdm.mapper;

/** Major and minor number of a mapped device, printed as {@code 253:0}. */
public record DeviceNumber(int major, int minor) {
  @Override
  public String toString() {
    return major + ":" + minor;
  }
}
