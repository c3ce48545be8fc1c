package io.jdm.mapper;

/** The version of a target type, as {@code dmsetup targets} prints it. */
public record Version(int major, int minor, int patch) {
  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
