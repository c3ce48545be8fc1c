package io.jdm.volume.luks2;

import io.jdm.blockdev.BlockDevice;
import io.jdm.crypt.kdf.KdfMemoryException;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.KeySource;
import io.jdm.volume.Segment;
import io.jdm.volume.UnlockOptions;
import io.jdm.volume.UnlockedVolume;
import io.jdm.volume.Volume;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.VolumeKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** A LUKS2 volume (source: spec/luks2.md), read from whichever copy of its header is good. */
public final class Luks2Volume implements Volume {
  static final String FORMAT = "LUKS2";

  private final BlockDevice device;
  private final HeaderCopy copy;
  private final VolumeException problem;

  /**
   * @param copy the copy that counts
   * @param problem with the other copy, or null
   */
  Luks2Volume(BlockDevice device, HeaderCopy copy, VolumeException problem) {
    this.device = device;
    this.copy = copy;
    this.problem = problem;
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public String uuid() {
    return copy.header().uuid();
  }

  /** Empty for none. */
  public String label() {
    return copy.header().label();
  }

  /** Empty for none. */
  public String subsystem() {
    return copy.header().subsystem();
  }

  /** One more with every change of the header. */
  public long sequence() {
    return copy.header().sequence();
  }

  /** Bytes of one copy of the header. */
  public int headerSize() {
    return copy.header().size();
  }

  /** Bytes of the area of all keyslots. */
  public long keyslotsSize() {
    return copy.metadata().keyslotsSize();
  }

  /** By number, in the header's order. */
  public Map<Integer, Keyslot> keyslots() {
    return copy.metadata().keyslots();
  }

  /** By number, in the header's order. */
  public Map<Integer, Token> tokens() {
    return copy.metadata().tokens();
  }

  /** By number, in the header's order. */
  public Map<Integer, DataSegment> segments() {
    return copy.metadata().segments();
  }

  /** By number, in the header's order. */
  public Map<Integer, KeyDigest> digests() {
    return copy.metadata().digests();
  }

  /** Persistent activation flags: {@code allow-discards}. */
  public List<String> flags() {
    return copy.metadata().flags();
  }

  /** What a program must know to open or change the volume. */
  public List<String> requirements() {
    return copy.metadata().requirements();
  }

  /** The whole JSON area as a tree of maps, lists and values, which nobody changes. */
  public Map<String, Object> json() {
    return copy.json();
  }

  /** Whether this was read from the second copy. */
  public boolean isSecondary() {
    return copy.header().offset() != 0;
  }

  /** What is wrong with the copy that this was not read from; null if nothing is. */
  public VolumeException problemOfOtherCopy() {
    return problem;
  }

  @Override
  public VolumeKey verify(KeySource key, UnlockOptions options) throws IOException {
    if (key.isVolumeKey()) {
      for (KeyDigest digest : digests().values()) {
        if (digest.proves(key.secret(), options.monitor())) {
          return new VolumeKey(-1, key.secret().part(0, key.secret().size()));
        }
      }
      throw wrongVolumeKey();
    }
    Search search = new Search(key.secret(), options);
    for (Keyslot keyslot : candidates(options, slot -> true)) {
      KeyMaterial found = search.open(keyslot);
      if (found != null) {
        return new VolumeKey(keyslot.id(), found);
      }
    }
    throw search.failure();
  }

  private static VolumeException wrongVolumeKey() {
    return VolumeException.of(Reason.WRONG_KEY, FORMAT, "Volume key does not match the volume.");
  }

  /** The keyslots to try, in order. */
  private List<Keyslot> candidates(UnlockOptions options, Predicate<Keyslot> wanted) {
    return keyslots().values().stream()
        .filter(slot -> slot.lock() != null)
        .filter(
            slot ->
                options.keyslot() == UnlockOptions.ANY
                    ? slot.priority() != Keyslot.PRIORITY_IGNORE
                    : slot.id() == options.keyslot())
        .filter(wanted)
        .sorted(Comparator.comparingInt(Keyslot::priority).reversed())
        .toList();
  }

  /** Tries one passphrase on slots, and keeps in mind why one could not be tried. */
  private final class Search {
    private final KeyMaterial passphrase;
    private final KdfMonitor monitor;
    private IOException untried;
    private boolean tried;

    Search(KeyMaterial passphrase, UnlockOptions options) {
      this.passphrase = passphrase;
      this.monitor = options.monitor();
    }

    /** The slot's key if the passphrase opens it, else null. */
    KeyMaterial open(Keyslot keyslot) throws IOException {
      KeyDigest digest = copy.metadata().digestOfKeyslot(keyslot.id());
      if (digest == null) {
        return null;
      }
      KeyMaterial key;
      try {
        key = KeyslotArea.open(device, keyslot, passphrase, monitor);
      } catch (VolumeException | KdfMemoryException e) {
        untried = untried == null ? e : untried;
        return null;
      }
      tried = true;
      boolean right = false;
      try {
        right = digest.proves(key, monitor);
        return right ? key : null;
      } finally {
        if (!right) {
          key.close();
        }
      }
    }

    IOException failure() {
      if (untried != null) {
        return untried;
      }
      return tried ? VolumeException.wrongKey(FORMAT) : VolumeException.noKeyslot(FORMAT);
    }
  }

  @Override
  public UnlockedVolume unlock(KeySource key, UnlockOptions options) throws IOException {
    checkRequirements();
    Reencryption reencryption = Reencryption.of(copy);
    List<DataSegment> regular = copy.metadata().regularSegments();
    for (DataSegment segment : regular) {
      checkSegment(segment, options);
    }
    Set<KeyDigest> wanted = new LinkedHashSet<>();
    if (reencryption != null) {
      wanted.add(reencryption.newDigest());
      wanted.add(reencryption.oldDigest());
      wanted.remove(null);
    }
    regular.stream()
        .filter(DataSegment::isCrypt)
        .forEach(segment -> wanted.add(copy.metadata().digestOfSegment(segment.id())));
    Map<Integer, KeyMaterial> keys = new HashMap<>();
    try {
      int keyslot = findKeys(wanted, key, options, keys);
      if (reencryption != null) {
        reencryption.verify(keys, options.monitor());
      }
      return new UnlockedVolume(FORMAT, uuid(), keyslot, segments(regular, keys), tableWords());
    } finally {
      keys.values().forEach(KeyMaterial::close);
    }
  }

  private List<Segment> segments(List<DataSegment> regular, Map<Integer, KeyMaterial> keys) {
    List<Segment> segments = new ArrayList<>();
    for (DataSegment segment : regular) {
      if (segment.isCrypt()) {
        KeyMaterial key = keys.get(copy.metadata().digestOfSegment(segment.id()).id());
        segments.add(
            Segment.crypt(
                segment.encryption(),
                key.part(0, key.size()),
                segment.ivOffset(),
                segment.offset(),
                segment.size(),
                segment.sectorSize()));
      } else {
        segments.add(Segment.linear(segment.offset(), segment.size()));
      }
    }
    return segments;
  }

  /**
   * Finds the key of every digest.
   *
   * @param keys receives them by the digests' numbers
   * @return the first keyslot that opened, or -1
   */
  private int findKeys(
      Set<KeyDigest> wanted,
      KeySource source,
      UnlockOptions options,
      Map<Integer, KeyMaterial> keys)
      throws IOException {
    if (source.isVolumeKey()) {
      for (KeyDigest digest : wanted) {
        if (!digest.proves(source.secret(), options.monitor())) {
          throw wrongVolumeKey();
        }
        keys.put(digest.id(), source.secret().part(0, source.secret().size()));
      }
      return -1;
    }
    int first = -1;
    Search search = new Search(source.secret(), options);
    for (Keyslot keyslot : candidates(options, slot -> wanted.contains(digestOf(slot)))) {
      KeyDigest digest = digestOf(keyslot);
      if (!keys.containsKey(digest.id())) {
        KeyMaterial found = search.open(keyslot);
        if (found != null) {
          keys.put(digest.id(), found);
          first = first < 0 ? keyslot.id() : first;
        }
      }
      if (keys.size() == wanted.size()) {
        return first;
      }
    }
    throw search.failure();
  }

  private KeyDigest digestOf(Keyslot keyslot) {
    return copy.metadata().digestOfKeyslot(keyslot.id());
  }

  /**
   * Whoever does not know a requirement must not open or change the volume.
   *
   * @throws VolumeException {@code UNSUPPORTED}
   */
  private void checkRequirements() throws VolumeException {
    List<String> unknown =
        requirements().stream().filter(text -> !Reencryption.understands(text)).toList();
    if (!unknown.isEmpty()) {
      throw VolumeException.of(
          Reason.UNSUPPORTED,
          FORMAT,
          copy.header().jsonOffset(),
          "config.requirements",
          "the volume requires what is not known here: " + String.join(", ", unknown));
    }
  }

  private void checkSegment(DataSegment segment, UnlockOptions options) throws VolumeException {
    String field = "segments." + segment.id();
    if (!segment.isCrypt() && !segment.type().equals(DataSegment.LINEAR)) {
      throw unsupported(field + ".type", "segment type " + segment.type() + " is not supported");
    }
    if (segment.integrity() != null) {
      throw unsupported(
          field + ".integrity",
          "integrity protection (" + segment.integrity() + ") is not supported");
    }
    if (segment.isCrypt()
        && segment.encryption().contains(KeyslotArea.NULL_CIPHER)
        && !options.allowNullCipher()) {
      throw VolumeException.of(
          Reason.REFUSED,
          FORMAT,
          copy.header().jsonOffset(),
          field + ".encryption",
          "the volume has the cipher cipher_null, which encrypts nothing; it opens only where null"
              + " ciphers are allowed expressly");
    }
  }

  private VolumeException unsupported(String field, String message) {
    return VolumeException.of(
        Reason.UNSUPPORTED, FORMAT, copy.header().jsonOffset(), field, message);
  }

  /** The flags that a crypt table has words for, in its order. */
  private List<String> tableWords() {
    List<String> known =
        List.of(
            "allow_discards",
            "same_cpu_crypt",
            "high_priority",
            "submit_from_crypt_cpus",
            "no_read_workqueue",
            "no_write_workqueue");
    List<String> words = flags().stream().map(flag -> flag.replace('-', '_')).toList();
    return known.stream().filter(words::contains).toList();
  }
}
