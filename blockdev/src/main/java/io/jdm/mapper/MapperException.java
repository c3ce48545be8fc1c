package io.jdm.mapper;

import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.util.List;

/**
 * The mapper refuses or fails an operation. It holds what three readers want: the line of dmsetup
 * ({@link #toolMessage()}), the lines of the kernel log ({@link #kernelLog()}), and what we know
 * more, field, found and expected ({@link #detail()}). None of them ever holds a key.
 */
public final class MapperException extends IOException {
  private static final long serialVersionUID = 1L;

  private static final String LOG_PREFIX = "device-mapper: ";

  private final Errno errno;
  private final String toolMessage;
  private final List<String> kernelLog;
  private final String detail;

  private MapperException(
      Errno errno, String toolMessage, List<String> kernelLog, String detail, Throwable cause) {
    super(message(toolMessage, kernelLog, detail), cause);
    this.errno = errno;
    this.toolMessage = toolMessage;
    this.kernelLog = List.copyOf(kernelLog);
    this.detail = detail;
  }

  /**
   * An operation that the kernel would refuse.
   *
   * @param operation dmsetup's word for the ioctl: create, reload, remove, suspend, resume ...
   * @param id the device as it was asked for
   * @param kernelLog lines without the prefix {@code device-mapper: }
   */
  static MapperException ioctl(
      String operation,
      DeviceId id,
      Errno errno,
      List<String> kernelLog,
      String detail,
      Throwable cause) {
    String tool = LOG_PREFIX + operation + " ioctl on " + id + " failed: " + errno.message();
    return new MapperException(
        errno, tool, kernelLog.stream().map(LOG_PREFIX::concat).toList(), detail, cause);
  }

  /** A request that dmsetup's library refuses before it asks the kernel. */
  static MapperException refused(String toolMessage, String detail) {
    return new MapperException(Errno.EINVAL, toolMessage, List.of(), detail, null);
  }

  private static String message(String toolMessage, List<String> kernelLog, String detail) {
    StringBuilder message = new StringBuilder(strip(toolMessage));
    for (String line : kernelLog) {
      message.append("; ").append(strip(line));
    }
    return detail.isEmpty() ? message.toString() : message.append(": ").append(detail).toString();
  }

  private static String strip(String line) {
    return line.startsWith(LOG_PREFIX) ? line.substring(LOG_PREFIX.length()) : line;
  }

  /** What the ioctl would return; {@link Errno#EINVAL} for text that never reaches the kernel. */
  public Errno errno() {
    return errno;
  }

  /**
   * What dmsetup prints on standard error before {@code Command failed.}: {@code device-mapper:
   * reload ioctl on NAME (253:0) failed: Invalid argument}, or its own refusal of a name or a table
   * line. May be several lines, without the last line's end.
   */
  public String toolMessage() {
    return toolMessage;
  }

  /** The lines that the kernel would log, complete; may be empty. */
  public List<String> kernelLog() {
    return kernelLog;
  }

  /** What the kernel does not say: field, found, expected, the device that failed; may be empty. */
  public String detail() {
    return detail;
  }

  /**
   * The kernel's most precise words without their prefix, and the detail: what follows {@code jdm:
   * } on the line after dmsetup's. Empty if there is nothing to add.
   */
  public String explanation() {
    if (kernelLog.isEmpty()) {
      return detail;
    }
    String first = strip(kernelLog.get(0));
    return detail.isEmpty() ? first : first + ": " + detail;
  }
}
