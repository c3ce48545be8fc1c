package io.jdm.crypt.key;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Named keys in memory, in the place of the kernel's keyrings: what a table's {@code
 * :SIZE:TYPE:DESCRIPTION} names. A key is known by its type and description together. Thread-safe.
 */
public final class Keyring implements AutoCloseable {
  /** The types that a crypt table may name (source: spec/dm-crypt.md section 3.1). */
  public static final List<String> TYPES = List.of("logon", "user", "encrypted", "trusted");

  /** Bytes that one key may have, as in the kernel. */
  public static final int MAX_SIZE = 32767;

  private static final Keyring PROCESS = new Keyring();

  private final Map<Name, KeyMaterial> keys = new LinkedHashMap<>();

  /** A key's name and size, for listings; never its bytes. */
  public record Entry(String type, String description, int size) {}

  private record Name(String type, String description) {}

  /** The keyring of this process: what targets use unless they are given another. */
  public static Keyring process() {
    return PROCESS;
  }

  /**
   * Adds a key, or replaces the one of that name.
   *
   * @param type one of {@link #TYPES}
   * @param description not empty
   * @param payload 1 to {@link #MAX_SIZE} bytes; belongs to the keyring from now on
   */
  public synchronized void add(String type, String description, KeyMaterial payload) {
    if (!TYPES.contains(type) || description.isEmpty()) {
      throw new IllegalArgumentException("no key can have the name " + type + ":" + description);
    }
    if (payload.size() == 0 || payload.size() > MAX_SIZE) {
      throw new IllegalArgumentException("a key has 1 to " + MAX_SIZE + " bytes: " + payload);
    }
    wipe(keys.put(new Name(type, description), Objects.requireNonNull(payload)));
  }

  /** A copy of the key, which the caller closes; null if there is none of that name. */
  public synchronized KeyMaterial request(String type, String description) {
    KeyMaterial key = keys.get(new Name(type, description));
    return key == null ? null : key.part(0, key.size());
  }

  /** Wipes and forgets a key; false if there was none. */
  public synchronized boolean remove(String type, String description) {
    return wipe(keys.remove(new Name(type, description)));
  }

  /** The names of all keys, oldest first. */
  public synchronized List<Entry> list() {
    List<Entry> entries = new ArrayList<>();
    keys.forEach((name, key) -> entries.add(new Entry(name.type, name.description, key.size())));
    return entries;
  }

  /** Wipes and forgets all keys; the keyring can be used again. */
  @Override
  public synchronized void close() {
    keys.values().forEach(KeyMaterial::close);
    keys.clear();
  }

  private static boolean wipe(KeyMaterial key) {
    if (key == null) {
      return false;
    }
    key.close();
    return true;
  }
}
