package io.jdm.crypt.iv;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.TargetException;
import java.io.IOException;

/**
 * A kind of IV generator: its name, what it wants of a table, and the maker of its instances.
 * Stateless.
 */
public abstract class IvType {
  private final String name;

  IvType(String name) {
    this.name = name;
  }

  /** The word in a cipher spec. */
  public final String name() {
    return name;
  }

  /**
   * How the key is split.
   *
   * @throws TargetException if this mode has no use for a key of this size
   */
  public KeyLayout layout(IvGeometry geometry) throws TargetException {
    return KeyLayout.extraAtEnd(geometry, 0);
  }

  /**
   * Checks what the mode wants of the table.
   *
   * @throws TargetException "Error creating IV", which is all that the kernel says
   */
  public void check(IvGeometry geometry) throws TargetException {}

  /**
   * Whether an IV is made from the sector's number alone, so that {@link Essiv} can encrypt it:
   * neither a key nor the data has a part in it.
   */
  public boolean countsOnly() {
    return false;
  }

  /**
   * A new generator for one worker and one sub-key.
   *
   * @throws IOException if a cipher it needs cannot be made
   */
  public abstract IvMode create(IvKeys keys) throws IOException;

  static TargetException refusal(String detail) {
    return new TargetException(Errno.EINVAL, "Error creating IV", detail);
  }

  @Override
  public final String toString() {
    return name;
  }
}
