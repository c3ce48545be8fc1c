package io.jdm.mapper;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One line of a table as text: where, how much, which type, and the type's arguments. Nothing is
 * checked but the form. The arguments may hold a key and so are bytes that {@link #close()} wipes.
 */
public final class TableLine implements AutoCloseable {
  private final long start;
  private final long length;
  private final String type;
  private final byte[] parameters;

  /**
   * @param start first sector, as an unsigned number
   * @param length sectors, as an unsigned number
   * @param type the target type's name
   * @param parameters its arguments, UTF-8; taken over and wiped on close
   */
  public TableLine(long start, long length, String type, byte[] parameters) {
    this.start = start;
    this.length = length;
    this.type = type;
    this.parameters = parameters;
  }

  /** A line whose arguments hold no key. */
  public TableLine(long start, long length, String type, String parameters) {
    this(start, length, type, parameters.getBytes(StandardCharsets.UTF_8));
  }

  /** First sector, as an unsigned number. */
  public long start() {
    return start;
  }

  /** Sectors, as an unsigned number. */
  public long length() {
    return length;
  }

  /** The target type's name. */
  public String type() {
    return type;
  }

  /** The arguments as bytes; a live array that is wiped on close. */
  public byte[] parameters() {
    return parameters;
  }

  /** The arguments, split; the caller closes them. */
  public Arguments arguments() {
    return Arguments.split(parameters);
  }

  /** Wipes the arguments. */
  @Override
  public void close() {
    Arrays.fill(parameters, (byte) 0);
  }

  /** The line without its arguments, which may be secret. */
  @Override
  public String toString() {
    return Long.toUnsignedString(start) + " " + Long.toUnsignedString(length) + " " + type + " ...";
  }
}
