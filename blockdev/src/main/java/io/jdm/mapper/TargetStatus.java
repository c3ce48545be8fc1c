package io.jdm.mapper;

/**
 * One line of what {@code dmsetup status} and {@code dmsetup table} print.
 *
 * @param start first sector on the mapped device
 * @param length sectors
 * @param type the target type's name
 * @param text status or arguments; may be empty
 */
public record TargetStatus(long start, long length, String type, String text) {
  /** As the tools print it, with the trailing space they leave when the text is empty. */
  @Override
  public String toString() {
    return start + " " + length + " " + type + " " + text;
  }
}
