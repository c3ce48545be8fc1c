package io.jdm.volume.luks2;

import io.jdm.volume.ByteString;
import io.jdm.volume.VolumeException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An object of the metadata, read member by member; errors name the member by its path. */
final class Fields {
  private final long offset;
  private final String path;
  private final Map<String, Object> members;

  private Fields(long offset, String path, Map<String, Object> members) {
    this.offset = offset;
    this.path = path;
    this.members = members;
  }

  /**
   * The whole tree.
   *
   * @param offset of the JSON area on the device, for errors
   */
  static Fields of(Map<String, Object> tree, long offset) {
    return new Fields(offset, "", tree);
  }

  boolean has(String name) {
    return members.containsKey(name);
  }

  Set<String> names() {
    return members.keySet();
  }

  /** The object itself, unchecked. */
  Map<String, Object> raw() {
    return members;
  }

  /** A text of any length. */
  String text(String name) throws VolumeException {
    if (members.get(name) instanceof String text) {
      return text;
    }
    throw damaged(name, "a string");
  }

  /** A JSON integer from {@code min} to {@code max}. */
  int number(String name, int min, int max) throws VolumeException {
    Object value = members.get(name);
    if (value instanceof Integer number && number >= min && number <= max) {
      return number;
    }
    throw damaged(name, "an integer from " + min + " to " + max);
  }

  /** A 64-bit number, which is a decimal string; those above 2^63-1 fit no device. */
  long size(String name) throws VolumeException {
    if (members.get(name) instanceof String text && text.matches("[0-9]{1,20}")) {
      BigInteger value = new BigInteger(text);
      if (value.bitLength() < Long.SIZE) {
        return value.longValue();
      }
    }
    throw damaged(name, "a string with a decimal number below 2^63");
  }

  /** Bytes in base64. */
  ByteString bytes(String name) throws VolumeException {
    try {
      return ByteString.of(Base64.getDecoder().decode(text(name)));
    } catch (IllegalArgumentException e) {
      throw damaged(name, "base64");
    }
  }

  Fields object(String name) throws VolumeException {
    return member(members, name, path(name));
  }

  /** Objects by the numbers that they have for names. */
  Map<Integer, Fields> objects(String name, int limit) throws VolumeException {
    Map<Integer, Fields> objects = new LinkedHashMap<>();
    Fields object = object(name);
    for (String key : object.members.keySet()) {
      objects.put(object.id(key, key, limit), member(object.members, key, path(name) + "." + key));
    }
    return objects;
  }

  @SuppressWarnings("unchecked")
  private Fields member(Map<String, Object> of, String name, String memberPath)
      throws VolumeException {
    if (of.get(name) instanceof Map<?, ?> map) {
      return new Fields(offset, memberPath, (Map<String, Object>) map);
    }
    throw VolumeException.damaged(
        Luks2Volume.FORMAT, offset, memberPath, of.get(name), "an object");
  }

  /** Numbers in an array of strings, without repetition. */
  List<Integer> ids(String name, int limit) throws VolumeException {
    List<Integer> ids = new ArrayList<>();
    for (String text : texts(name)) {
      int id = id(name, text, limit);
      if (ids.contains(id)) {
        throw damaged(name, "each number once");
      }
      ids.add(id);
    }
    return ids;
  }

  private int id(String name, String text, int limit) throws VolumeException {
    if (text.matches("0|[1-9][0-9]{0,2}") && Integer.parseInt(text) < limit) {
      return Integer.parseInt(text);
    }
    throw VolumeException.damaged(
        Luks2Volume.FORMAT, offset, path(name), text, "a decimal number below " + limit);
  }

  /** An array of strings. */
  List<String> texts(String name) throws VolumeException {
    List<String> texts = new ArrayList<>();
    if (members.get(name) instanceof List<?> array) {
      for (Object member : array) {
        if (!(member instanceof String text)) {
          throw damaged(name, "an array of strings");
        }
        texts.add(text);
      }
      return texts;
    }
    throw damaged(name, "an array of strings");
  }

  /** Checks that there are these members and no others. */
  void requireOnly(String... names) throws VolumeException {
    if (!members.keySet().equals(Set.of(names))) {
      throw VolumeException.damaged(
          Luks2Volume.FORMAT,
          offset,
          path,
          "an object with " + members.keySet(),
          "exactly " + List.of(names));
    }
  }

  /** A member that cannot be so. */
  VolumeException damaged(String name, String expected) {
    Object found = members.get(name);
    if (found instanceof Map || found instanceof List) {
      found = found instanceof Map ? "an object" : "an array";
    }
    return VolumeException.damaged(Luks2Volume.FORMAT, offset, path(name), found, expected);
  }

  private String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
