package io.jdm.mapper;

import java.util.Set;

/**
 * A kind of target: what {@code dmsetup targets} lists, and the maker of its instances. Found
 * through {@link java.util.ServiceLoader} or given to the {@code DeviceMapper}. Stateless and
 * thread-safe.
 */
public interface TargetType {
  /** Rules for tables with a target of this type. */
  enum Feature {
    /** It must be the only line of its table. */
    SINGLETON,
    /** It cannot be in a read-only table. */
    ALWAYS_WRITEABLE,
    /** It cannot be mixed with other types, and no table without it can replace its table. */
    IMMUTABLE
  }

  /** The word in a table; 1 to 15 ASCII characters. */
  String name();

  /** The version of the kernel's target whose behaviour this has. */
  Version version();

  /** The arguments in one line, for messages and help: {@code <dev> <offset>}. */
  String usage();

  /** The rules that tables with this type must keep. */
  default Set<Feature> features() {
    return Set.of();
  }

  /**
   * Makes a target from its arguments. Whatever it opened is released if it throws.
   *
   * @throws TargetException with the kernel's words if an argument is not valid
   */
  Target create(TargetContext context, Arguments arguments) throws TargetException;
}
