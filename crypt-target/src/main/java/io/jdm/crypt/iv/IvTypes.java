package io.jdm.crypt.iv;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.TargetException;
import java.util.List;

/**
 * The IV modes there are. {@code essiv} is not among them: it encrypts the IVs of another mode,
 * {@link Essiv}.
 */
public final class IvTypes {
  /** No IV mode where the grammar leaves it out: all IVs are zero. */
  public static final IvType NONE = Null.TYPE;

  private static final List<IvType> ALL =
      List.of(
          Plain.TYPE,
          Plain64.TYPE,
          Plain64Be.TYPE,
          Benbi.TYPE,
          Null.TYPE,
          Eboiv.TYPE,
          Elephant.TYPE,
          Lmk.TYPE,
          Tcw.TYPE,
          RandomIv.TYPE);

  private IvTypes() {}

  /** All modes, for help and messages. */
  public static List<IvType> all() {
    return ALL;
  }

  /**
   * The mode of a name.
   *
   * @throws TargetException "Invalid IV mode", naming those that exist
   */
  public static IvType byName(String name) throws TargetException {
    for (IvType type : ALL) {
      if (type.name().equals(name)) {
        return type;
      }
    }
    List<String> names = ALL.stream().map(IvType::name).toList();
    throw new TargetException(
        Errno.EINVAL,
        "Invalid IV mode",
        "there is no " + Arguments.show(name) + ", only essiv, " + String.join(", ", names));
  }
}
