package io.jdm.volume;

import io.jdm.mapper.Arguments;
import java.io.IOException;

/**
 * A volume could not be read, unlocked or changed for a reason that lies in the volume or in the
 * key; what the devices below fail with is passed on as it is.
 */
public final class VolumeException extends IOException {
  private static final long serialVersionUID = 1L;

  /** What kind of failure it is. */
  public enum Reason {
    /** There is no such header. */
    NOT_FOUND,
    /** The header says what cannot be. */
    DAMAGED,
    /** The header may be good, but wants something that is not here. */
    UNSUPPORTED,
    /** No keyslot opens with this key. */
    WRONG_KEY,
    /** There is no keyslot that could be tried. */
    NO_KEYSLOT,
    /** It could be done but is not, for safety, or as long as nobody asks for it expressly. */
    REFUSED,
    /** Somebody else changed or uses the volume. */
    BUSY,
    /** There is no room for it. */
    NO_SPACE
  }

  private final Reason reason;
  private final String format;
  private final long offset;
  private final String field;

  private VolumeException(
      Reason reason, String format, long offset, String field, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
    this.format = format;
    this.offset = offset;
    this.field = field;
  }

  /**
   * A field of a header that cannot be so.
   *
   * @param format {@code LUKS1}
   * @param offset bytes from the start of the header's device
   * @param field its name in the format's specification
   * @param found shown in quotes, or by its length where it is long
   * @param expected what could be there
   */
  public static VolumeException damaged(
      String format, long offset, String field, Object found, String expected) {
    return new VolumeException(
        Reason.DAMAGED,
        format,
        offset,
        field,
        format
            + " header at byte "
            + offset
            + ": "
            + field
            + " is "
            + show(found)
            + ", expected "
            + expected,
        null);
  }

  /** Any other failure that one field is the reason of. */
  public static VolumeException of(
      Reason reason, String format, long offset, String field, String message) {
    return new VolumeException(reason, format, offset, field, message, null);
  }

  /** A failure of the whole volume. */
  public static VolumeException of(Reason reason, String format, String message) {
    return new VolumeException(reason, format, -1, "", message, null);
  }

  /** A failure of the whole volume that has a cause. */
  public static VolumeException of(Reason reason, String format, String message, Throwable cause) {
    return new VolumeException(reason, format, -1, "", message, cause);
  }

  /** None of the keyslots opened; cryptsetup's words. */
  public static VolumeException wrongKey(String format) {
    return of(Reason.WRONG_KEY, format, "No key available with this passphrase.");
  }

  /** There is no keyslot to try; cryptsetup's words. */
  public static VolumeException noKeyslot(String format) {
    return of(Reason.NO_KEYSLOT, format, "No usable keyslot is available.");
  }

  private static String show(Object found) {
    if (found == null) {
      return "missing";
    }
    return found instanceof String text ? Arguments.show(printable(text)) : found.toString();
  }

  /** Text of a header, with dots for what a terminal might obey. */
  static String printable(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c ->
                safe.appendCodePoint(
                    Character.isISOControl(c) || Character.getType(c) == Character.FORMAT
                        ? '.'
                        : c));
    return safe.toString();
  }

  /** What kind of failure it is; never null. */
  public Reason reason() {
    return reason;
  }

  /** {@code LUKS1}, {@code LUKS2}, {@code PLAIN}. */
  public String format() {
    return format;
  }

  /** Where the field lies, in bytes from the start of the header's device; -1 for none. */
  public long offset() {
    return offset;
  }

  /** The field's name in the specification; empty for none. */
  public String field() {
    return field;
  }
}
