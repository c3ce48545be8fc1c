package io.jdm.mapper;

import io.jdm.blockdev.Errno;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The rules for names and uuids of mapped devices, of dmsetup's library where it asks first, else
 * of the kernel (source: spec/dm-core.md section 1; oracle/dmsetup-transcript.md). Escaping
 * characters as {@code \xNN} is the command line's business.
 */
final class Names {
  /** Bytes of a name. */
  private static final int MAX_NAME = 127;

  /** Bytes of a uuid. */
  private static final int MAX_UUID = 128;

  private Names() {}

  /** Checks what {@code create} is given. */
  static void checkNew(String name, String uuid, Ioctl ioctl) throws MapperException {
    checkSlash(name);
    if (bytes(name) > MAX_NAME) {
      throw MapperException.refused("Name \"" + name + "\" too long.", tooLong(name, MAX_NAME));
    }
    if (bytes(uuid) > MAX_UUID) {
      throw MapperException.refused(
          "Mangled form of the UUID too long for \""
              + uuid
              + "\".\nFailed to mangle device uuid \""
              + uuid
              + "\".",
          tooLong(uuid, MAX_UUID));
    }
    if (name.isEmpty()) {
      throw ioctl.failure(
          Errno.EINVAL, List.of("ioctl: name not supplied when creating device"), "", null);
    }
    checkReserved(name, ioctl);
  }

  /** Checks a name that a device shall get. */
  static void checkRename(String name, Ioctl ioctl) throws MapperException {
    checkSlash(name);
    if (bytes(name) > MAX_NAME) {
      throw MapperException.refused("Name \"" + name + "\" too long", tooLong(name, MAX_NAME));
    }
    if (name.isEmpty()) {
      throw MapperException.refused("Non empty new name is required.", "");
    }
    checkReserved(name, ioctl);
  }

  /** Checks a uuid that a device shall get. */
  static void checkNewUuid(String uuid, Ioctl ioctl) throws MapperException {
    if (uuid.isEmpty() || bytes(uuid) > MAX_UUID) {
      throw ioctl.failure(
          Errno.EINVAL,
          List.of("ioctl: Invalid new mapped device name or uuid string supplied."),
          uuid.isEmpty() ? "the uuid is empty" : tooLong(uuid, MAX_UUID),
          null);
    }
  }

  private static void checkSlash(String name) throws MapperException {
    if (name.indexOf('/') >= 0) {
      throw MapperException.refused(
          "Name \"" + name + "\" invalid. It contains \"/\".", "device name cannot contain '/'");
    }
  }

  private static void checkReserved(String name, Ioctl ioctl) throws MapperException {
    if (name.equals("control") || name.equals(".") || name.equals("..")) {
      throw ioctl.failure(
          Errno.EINVAL,
          List.of("ioctl: device name cannot be \"control\", \".\", or \"..\""),
          "found '" + name + "'",
          null);
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static String tooLong(String text, int max) {
    return "it has " + bytes(text) + " bytes, at most " + max + " are allowed";
  }
}
