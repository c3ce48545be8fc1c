package io.jdm.mapper;

/**
 * A kind of target: what {@code dmsetup targets} lists, and the maker of its instances. Found
 * through {@link java.util.ServiceLoader} or given to the {@code DeviceMapper}. Stateless and
 * thread-safe.
 */
public interface TargetType {
  /** The word in a table; 1 to 15 ASCII characters. */
  String name();

  /** The version of the kernel's target whose behaviour this has. */
  Version version();

  /** The arguments in one line, for messages and help: {@code <dev> <offset>}. */
  String usage();

  /**
   * Makes a target from its arguments. Whatever it opened is released if it throws.
   *
   * @throws TargetException with the kernel's words if an argument is not valid
   */
  Target create(TargetContext context, Arguments arguments) throws TargetException;
}
