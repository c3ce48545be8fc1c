package io.jdm.volume.luks2;

import io.jdm.blockdev.BlockDevice;
import io.jdm.crypt.kdf.Digests;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.kdf.Pbkdf2;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.ByteString;
import io.jdm.volume.HeaderWriter;
import io.jdm.volume.KeyslotCost;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Changes a LUKS2 header, as the real tool does (source: spec/luks2.md sections 4, 7 and 10): a new
 * keyslot's area before the header that refers to it, a revoked one's area before the header that
 * forgets it, and each header copy on stable storage before the other is touched. A power cut at
 * any point leaves a header that opens with the old or the new keys.
 *
 * <p>The caller holds the lock on the device; a header that somebody else changed all the same is
 * noticed and left alone. Not thread-safe.
 */
public final class Luks2Editor {
  private static final String PBKDF2 = "pbkdf2";
  private static final int SALT_SIZE = 32;

  private final HeaderWriter writer;
  private final SecureRandom random = new SecureRandom();
  private HeaderCopy current;

  private Luks2Editor(HeaderWriter writer, HeaderCopy current) {
    this.writer = writer;
    this.current = current;
  }

  /**
   * Begins to change a header.
   *
   * @param device writable; stays the caller's
   * @throws VolumeException as reading does; {@code UNSUPPORTED} if the header requires what is not
   *     known here, or is in the middle of a re-encryption
   */
  public static Luks2Editor open(BlockDevice device) throws IOException {
    HeaderCopy primary = HeaderCopy.readPrimary(device);
    HeaderCopy secondary = HeaderCopy.readSecondary(device, primary);
    HeaderCopy chosen = HeaderCopy.choose(primary, secondary);
    if (!chosen.metadata().requirements().isEmpty()) {
      throw VolumeException.of(
          Reason.UNSUPPORTED,
          Luks2Volume.FORMAT,
          "the header cannot be changed while it requires "
              + String.join(", ", chosen.metadata().requirements()));
    }
    return new Luks2Editor(new HeaderWriter(device), chosen);
  }

  /** The header as it is now. */
  public Luks2Volume volume() {
    return new Luks2Volume(writer.device(), current, null);
  }

  /**
   * Writes a new header over whatever there is.
   *
   * @param device writable, from its start to the data; stays the caller's
   * @param volumeKey stays the caller's
   * @return an editor for the new header, which has no keyslot yet
   * @throws VolumeException {@code NO_SPACE} if the device is too small; {@code UNSUPPORTED} for a
   *     cipher or a hash that is not here
   */
  public static Luks2Editor format(
      BlockDevice device, Luks2Spec spec, KeyMaterial volumeKey, KdfMonitor monitor)
      throws IOException {
    spec.check(device.size(), volumeKey.size());
    SecureRandom random = new SecureRandom();
    Map<String, Object> tree = spec.tree();
    HeaderWriter writer = new HeaderWriter(device);
    long keyslots = 2L * spec.metadataSize();
    long end = keyslots + spec.keyslotsSize();
    writer.writeZeroes(0, Math.min(spec.wipeSize(), device.size()));
    writer.writeRandom(keyslots, Math.min(end, device.size()) - keyslots, random);
    writer.flush();
    BinaryHeader header =
        new BinaryHeader(
            0,
            spec.metadataSize(),
            1,
            spec.label(),
            "sha256",
            ByteString.of(new byte[BinaryHeader.SALT_SIZE]),
            spec.uuid(),
            spec.subsystem(),
            ByteString.of(new byte[0]));
    Luks2Editor editor = new Luks2Editor(writer, new HeaderCopy(header, tree, null, null));
    child(tree, "digests").put("0", digest(spec.hash(), volumeKey, random, monitor));
    editor.writeBoth(header, tree);
    return editor;
  }

  private static Map<String, Object> digest(
      String hash, KeyMaterial volumeKey, SecureRandom random, KdfMonitor monitor)
      throws IOException {
    byte[] salt = new byte[SALT_SIZE];
    random.nextBytes(salt);
    Map<String, Object> digest = new LinkedHashMap<>();
    digest.put("type", PBKDF2);
    digest.put("keyslots", new ArrayList<>());
    digest.put("segments", new ArrayList<>(List.of("0")));
    digest.put("hash", hash);
    digest.put("iterations", Luks2Spec.DIGEST_ITERATIONS);
    digest.put("salt", Base64.getEncoder().encodeToString(salt));
    try (KeyMaterial derived =
        Pbkdf2.derive(
            hash, volumeKey, salt, Luks2Spec.DIGEST_ITERATIONS, Digests.size(hash), monitor)) {
      digest.put("digest", Base64.getEncoder().encodeToString(derived.exposeBytes()));
    }
    return digest;
  }

  /**
   * Locks up the volume key with one more passphrase.
   *
   * @param volumeKey which a digest must prove; stays the caller's
   * @param passphrase stays the caller's
   * @param keyslot a free one, or -1 for the first free one
   * @return the keyslot's number
   * @throws VolumeException {@code WRONG_KEY} if it is not the volume key; {@code NO_SPACE} if
   *     there is no free keyslot or area; {@code REFUSED} if the keyslot is not free
   */
  public int addKey(
      KeyMaterial volumeKey,
      KeyMaterial passphrase,
      KeyslotCost cost,
      int keyslot,
      KdfMonitor monitor)
      throws IOException {
    KeyDigest digest = digestOf(volumeKey, monitor);
    int id = freeKeyslot(keyslot);
    Map<String, Object> slot = newKeyslot(volumeKey.size(), cost);
    writeArea(id, slot, volumeKey, passphrase, monitor);
    change(
        tree -> {
          child(tree, "keyslots").put(id + "", slot);
          keyslotsOf(tree, digest.id()).add(id + "");
        });
    return id;
  }

  /**
   * Replaces the passphrase of a keyslot, or only its cost; its number, priority and tokens stay.
   * Until the old area is overwritten both passphrases open the volume.
   *
   * @param volumeKey which the keyslot holds; stays the caller's
   * @throws VolumeException as {@link #addKey}; a free keyslot and area are needed meanwhile
   */
  public void changeKey(
      int keyslot,
      KeyMaterial volumeKey,
      KeyMaterial passphrase,
      KeyslotCost cost,
      KdfMonitor monitor)
      throws IOException {
    Keyslot old = requireKeyslot(keyslot);
    int spare = addKey(volumeKey, passphrase, cost, -1, monitor);
    writer.writeRandom(old.areaOffset(), old.areaSize(), random);
    writer.flush();
    change(
        tree -> {
          Map<String, Object> keyslots = child(tree, "keyslots");
          Map<String, Object> slot = child(keyslots, spare + "");
          keyslots.remove(spare + "");
          if (old.priority() != Keyslot.PRIORITY_NORMAL) {
            slot.put("priority", old.priority());
          }
          keyslots.put(keyslot + "", slot);
          forget(tree, "digests", spare);
        });
  }

  /**
   * Destroys a keyslot: first what is in it, then that it was there. Tokens forget it.
   *
   * @throws VolumeException {@code NO_KEYSLOT} if there is none of this number
   */
  public void killKeyslot(int keyslot) throws IOException {
    Keyslot old = requireKeyslot(keyslot);
    writer.writeRandom(old.areaOffset(), old.areaSize(), random);
    writer.flush();
    change(tree -> remove(tree, keyslot));
  }

  /** Destroys all keyslots: nobody opens the volume any more who has no copy of its header. */
  public void erase() throws IOException {
    List<Keyslot> all = List.copyOf(current.metadata().keyslots().values());
    for (Keyslot keyslot : all) {
      writer.writeRandom(keyslot.areaOffset(), keyslot.areaSize(), random);
    }
    writer.flush();
    change(tree -> all.forEach(keyslot -> remove(tree, keyslot.id())));
  }

  private static void remove(Map<String, Object> tree, int keyslot) {
    child(tree, "keyslots").remove(keyslot + "");
    forget(tree, "digests", keyslot);
    forget(tree, "tokens", keyslot);
  }

  private static void forget(Map<String, Object> tree, String name, int keyslot) {
    Map<String, Object> objects = child(tree, name);
    objects.keySet().forEach(id -> list(child(objects, id), "keyslots").remove(keyslot + ""));
  }

  /**
   * Sets how keen unlocking is on a keyslot.
   *
   * @param priority 0 only if named, 1 normal, 2 first
   */
  public void setPriority(int keyslot, int priority) throws IOException {
    requireKeyslot(keyslot);
    change(tree -> child(child(tree, "keyslots"), keyslot + "").put("priority", priority));
  }

  /**
   * Sets what the header calls itself.
   *
   * @throws VolumeException {@code NO_SPACE} for a text of more than 47 bytes
   */
  public void setLabel(String label, String subsystem) throws IOException {
    for (String text : new String[] {label, subsystem}) {
      if (!BinaryHeader.fitsLabel(text)) {
        throw VolumeException.of(
            Reason.NO_SPACE, Luks2Volume.FORMAT, "a label or subsystem has 47 bytes at most");
      }
    }
    write(current.header().withNames(label, subsystem), current.json());
  }

  /** Sets the UUID, which is not checked: 39 bytes at most. */
  public void setUuid(String uuid) throws IOException {
    write(current.header().withUuid(uuid), current.json());
  }

  /** Sets the persistent activation flags: {@code allow-discards}. */
  public void setFlags(List<String> flags) throws IOException {
    change(
        tree -> {
          Map<String, Object> config = child(tree, "config");
          if (flags.isEmpty()) {
            config.remove("flags");
          } else {
            config.put("flags", new ArrayList<>(flags));
          }
        });
  }

  /**
   * Adds a token, whatever its type.
   *
   * @param json an object with a type and keyslots that exist
   * @param token a free number, or -1 for the first free one
   * @return its number
   * @throws VolumeException {@code NO_SPACE} without a free number, {@code REFUSED} for one in use,
   *     {@code DAMAGED} if the object is no token
   */
  public int addToken(Map<String, Object> json, int token) throws IOException {
    int id = freeId(current.metadata().tokens(), Metadata.MAX_TOKENS, token, "token");
    change(tree -> child(tree, "tokens").put(id + "", json));
    return id;
  }

  /** Adds a token from its text; otherwise as {@link #addToken(Map, int)}. */
  public int addToken(byte[] json, int token) throws IOException {
    return addToken(Json.parse(Arrays.copyOf(json, json.length + 1), 0), token);
  }

  /**
   * Removes a token; its keyslots stay.
   *
   * @throws VolumeException {@code NOT_FOUND} if there is none of this number
   */
  public void removeToken(int token) throws IOException {
    if (!current.metadata().tokens().containsKey(token)) {
      throw VolumeException.of(
          Reason.NOT_FOUND, Luks2Volume.FORMAT, "Token " + token + " is not in use.");
    }
    change(tree -> child(tree, "tokens").remove(token + ""));
  }

  /** Lets a token stand for a keyslot. */
  public void assignToken(int token, int keyslot) throws IOException {
    requireKeyslot(keyslot);
    change(
        tree -> {
          List<Object> keyslots = list(child(child(tree, "tokens"), token + ""), "keyslots");
          if (!keyslots.contains(keyslot + "")) {
            keyslots.add(keyslot + "");
          }
        });
  }

  private KeyDigest digestOf(KeyMaterial volumeKey, KdfMonitor monitor) throws IOException {
    int segment = current.metadata().defaultSegment().id();
    KeyDigest digest = current.metadata().digestOfSegment(segment);
    if (digest == null || !digest.proves(volumeKey, monitor)) {
      throw VolumeException.of(
          Reason.WRONG_KEY, Luks2Volume.FORMAT, "Volume key does not match the volume.");
    }
    return digest;
  }

  private Keyslot requireKeyslot(int keyslot) throws VolumeException {
    Keyslot found = current.metadata().keyslots().get(keyslot);
    if (found == null) {
      throw VolumeException.of(
          Reason.NO_KEYSLOT, Luks2Volume.FORMAT, "Keyslot " + keyslot + " is not active.");
    }
    return found;
  }

  private int freeKeyslot(int wanted) throws VolumeException {
    return freeId(current.metadata().keyslots(), Metadata.MAX_KEYSLOTS, wanted, "keyslot");
  }

  private static int freeId(Map<Integer, ?> used, int limit, int wanted, String what)
      throws VolumeException {
    if (wanted >= limit) {
      throw VolumeException.of(
          Reason.REFUSED,
          Luks2Volume.FORMAT,
          what + " " + wanted + " cannot be, only 0 to " + (limit - 1));
    }
    if (wanted >= 0) {
      if (used.containsKey(wanted)) {
        throw VolumeException.of(
            Reason.REFUSED, Luks2Volume.FORMAT, what + " " + wanted + " is in use");
      }
      return wanted;
    }
    for (int id = 0; id < limit; id++) {
      if (!used.containsKey(id)) {
        return id;
      }
    }
    throw VolumeException.of(
        Reason.NO_SPACE, Luks2Volume.FORMAT, "all " + limit + " " + what + "s are in use");
  }

  /** A keyslot in the first gap that is large enough. */
  private Map<String, Object> newKeyslot(int keySize, KeyslotCost cost) throws VolumeException {
    long size = areaSize(keySize);
    long offset = 2L * current.header().size();
    long end = offset + current.metadata().keyslotsSize();
    List<Keyslot> byPlace = new ArrayList<>(current.metadata().keyslots().values());
    byPlace.sort(Comparator.comparingLong(Keyslot::areaOffset));
    for (Keyslot keyslot : byPlace) {
      if (keyslot.areaOffset() - offset >= size) {
        break;
      }
      offset = align(keyslot.areaOffset() + keyslot.areaSize());
    }
    if (offset > end - size) {
      throw VolumeException.of(
          Reason.NO_SPACE,
          Luks2Volume.FORMAT,
          "there is no free area of " + size + " bytes for one more keyslot");
    }
    String encryption = current.metadata().defaultSegment().encryption();
    boolean usable = Luks2Spec.isKeyslotCipher(encryption, keySize);
    byte[] salt = new byte[SALT_SIZE];
    random.nextBytes(salt);
    Map<String, Object> slot = new LinkedHashMap<>();
    slot.put("type", Keyslot.LUKS2);
    slot.put("key_size", keySize);
    slot.put("af", object("type", "luks1", "stripes", Keyslot.STRIPES, "hash", afHash(cost)));
    slot.put(
        "area",
        object(
            "type",
            "raw",
            "offset",
            offset + "",
            "size",
            size + "",
            "encryption",
            usable ? encryption : Luks2Spec.DEFAULT_CIPHER,
            "key_size",
            usable ? keySize : Luks2Spec.DEFAULT_KEY_SIZE));
    slot.put("kdf", kdf(cost, Base64.getEncoder().encodeToString(salt)));
    return slot;
  }

  private static String afHash(KeyslotCost cost) {
    return cost.hash() != null ? cost.hash() : "sha256";
  }

  private static Map<String, Object> kdf(KeyslotCost cost, String salt) {
    return cost.cost() == null
        ? object("type", PBKDF2, "hash", cost.hash(), "iterations", cost.iterations(), "salt", salt)
        : object(
            "type",
            cost.type(),
            "time",
            cost.cost().passes(),
            "memory",
            cost.cost().memoryKib(),
            "cpus",
            cost.cost().lanes(),
            "salt",
            salt);
  }

  private static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }

  static long areaSize(int keySize) {
    return align((long) keySize * Keyslot.STRIPES);
  }

  private static long align(long size) {
    return (size + Metadata.ALIGNMENT - 1) & -Metadata.ALIGNMENT;
  }

  private void writeArea(
      int id,
      Map<String, Object> slot,
      KeyMaterial volumeKey,
      KeyMaterial passphrase,
      KdfMonitor monitor)
      throws IOException {
    Keyslot keyslot = Keyslot.parse(id, Fields.of(slot, current.header().jsonOffset()));
    byte[] area = KeyslotArea.seal(keyslot, volumeKey, passphrase, random, monitor);
    writer.write(keyslot.areaOffset(), area);
    writer.flush();
  }

  private void change(Consumer<Map<String, Object>> change) throws IOException {
    Map<String, Object> tree = Json.copy(current.json());
    change.accept(tree);
    write(current.header(), tree);
  }

  private void write(BinaryHeader header, Map<String, Object> tree) throws IOException {
    HeaderCopy primary = HeaderCopy.readPrimary(writer.device());
    HeaderCopy secondary = HeaderCopy.readSecondary(writer.device(), primary);
    HeaderCopy onDisk = HeaderCopy.choose(primary, secondary);
    if (onDisk.header().sequence() != current.header().sequence()) {
      throw VolumeException.of(
          Reason.BUSY,
          Luks2Volume.FORMAT,
          "somebody else changed the header: its sequence number is "
              + onDisk.header().sequence()
              + ", expected "
              + current.header().sequence());
    }
    if (!isAsGood(primary)) {
      writeCopy(current.header(), 0, Json.write(current.json()));
    }
    if (!isAsGood(secondary)) {
      writeCopy(current.header(), current.header().size(), Json.write(current.json()));
    }
    writeBoth(header, tree);
  }

  /** Whether the other copy may be lost. */
  private boolean isAsGood(HeaderCopy copy) {
    return copy.isGood() && copy.header().sequence() == current.header().sequence();
  }

  private void writeBoth(BinaryHeader header, Map<String, Object> tree) throws IOException {
    Metadata metadata = Metadata.parse(tree, header.size(), header.jsonOffset());
    byte[] text = Json.write(tree);
    if (text.length >= header.jsonSize()) {
      throw VolumeException.of(
          Reason.NO_SPACE,
          Luks2Volume.FORMAT,
          "the metadata would have "
              + text.length
              + " bytes, there is room for "
              + (header.jsonSize() - 1));
    }
    BinaryHeader next = header.withSequence(header.sequence() + 1);
    BinaryHeader written = writeCopy(next, 0, text);
    writeCopy(next, header.size(), text);
    current = new HeaderCopy(written, tree, metadata, null);
  }

  /** The header once without its checksum, so that no mixture of old and new is ever valid. */
  private BinaryHeader writeCopy(BinaryHeader header, int offset, byte[] text) throws IOException {
    byte[] salt = new byte[BinaryHeader.SALT_SIZE];
    random.nextBytes(salt);
    BinaryHeader copy = header.at(offset, ByteString.of(salt));
    byte[] area = Arrays.copyOf(text, copy.jsonSize());
    writer.write(offset, copy.encodeWithoutChecksum());
    writer.write(copy.jsonOffset(), area);
    writer.write(offset, copy.encode(area));
    writer.flush();
    return copy;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> child(Map<String, Object> tree, String name) {
    return (Map<String, Object>) tree.get(name);
  }

  @SuppressWarnings("unchecked")
  private static List<Object> list(Map<String, Object> object, String name) {
    return (List<Object>) object.get(name);
  }

  private static List<Object> keyslotsOf(Map<String, Object> tree, int digest) {
    return list(child(child(tree, "digests"), digest + ""), "keyslots");
  }
}
