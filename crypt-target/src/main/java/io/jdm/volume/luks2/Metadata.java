package io.jdm.volume.luks2;

import io.jdm.volume.Segment;
import io.jdm.volume.VolumeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the JSON area says, checked in the order of spec/luks2.md section 6. Maps keep the order of
 * the text.
 *
 * @param keyslotsSize bytes of the keyslots area, which begins behind both copies of the header
 * @param flags persistent activation flags
 * @param requirements what one must know to open or change the volume
 */
record Metadata(
    Map<Integer, Keyslot> keyslots,
    Map<Integer, Token> tokens,
    Map<Integer, DataSegment> segments,
    Map<Integer, KeyDigest> digests,
    long keyslotsSize,
    List<String> flags,
    List<String> requirements) {
  static final int MAX_KEYSLOTS = 32;
  static final int MAX_TOKENS = 32;
  static final int MAX_SEGMENTS = 32;
  static final int MAX_DIGESTS = 8;
  static final long MAX_KEYSLOTS_SIZE = 128L << 20;
  static final int ALIGNMENT = 4096;

  private static final String REENCRYPT = "online-reencrypt";

  /**
   * Checks a tree.
   *
   * @param headerSize bytes of one copy of the header
   * @param offset of the JSON area on the device, for errors
   */
  static Metadata parse(Map<String, Object> tree, int headerSize, long offset)
      throws VolumeException {
    Fields fields = Fields.of(tree, offset);
    Fields config = fields.object("config");
    List<String> requirements = requirements(config);
    Map<Integer, Fields> keyslotFields = fields.objects("keyslots", MAX_KEYSLOTS);
    Map<Integer, Fields> segmentFields = fields.objects("segments", MAX_SEGMENTS);
    Map<Integer, Token> tokens = new LinkedHashMap<>();
    for (Map.Entry<Integer, Fields> entry : fields.objects("tokens", MAX_TOKENS).entrySet()) {
      Token token = Token.parse(entry.getKey(), entry.getValue());
      requireKnown(token.keyslots(), keyslotFields, entry.getValue(), "keyslots");
      tokens.put(token.id(), token);
    }
    Map<Integer, KeyDigest> digests = new LinkedHashMap<>();
    for (Map.Entry<Integer, Fields> entry : fields.objects("digests", MAX_DIGESTS).entrySet()) {
      KeyDigest digest = KeyDigest.parse(entry.getKey(), entry.getValue());
      requireKnown(digest.keyslots(), keyslotFields, entry.getValue(), "keyslots");
      requireKnown(digest.segments(), segmentFields, entry.getValue(), "segments");
      digests.put(digest.id(), digest);
    }
    Map<Integer, DataSegment> segments = new LinkedHashMap<>();
    for (Map.Entry<Integer, Fields> entry : segmentFields.entrySet()) {
      segments.put(entry.getKey(), DataSegment.parse(entry.getKey(), entry.getValue()));
    }
    checkSegments(segments, digests, fields);
    checkReencryption(segments, requirements, fields);
    Map<Integer, Keyslot> keyslots = new LinkedHashMap<>();
    for (Map.Entry<Integer, Fields> entry : keyslotFields.entrySet()) {
      keyslots.put(entry.getKey(), Keyslot.parse(entry.getKey(), entry.getValue()));
    }
    long keyslotsSize = checkConfig(config, headerSize, segments);
    checkAreas(keyslots, keyslotFields, headerSize, keyslotsSize);
    return new Metadata(
        Collections.unmodifiableMap(keyslots),
        Collections.unmodifiableMap(tokens),
        Collections.unmodifiableMap(segments),
        Collections.unmodifiableMap(digests),
        keyslotsSize,
        config.has("flags") ? config.texts("flags") : List.of(),
        requirements);
  }

  private static List<String> requirements(Fields config) throws VolumeException {
    if (!config.has("requirements")) {
      return List.of();
    }
    Fields requirements = config.object("requirements");
    List<String> mandatory =
        requirements.has("mandatory") ? requirements.texts("mandatory") : List.of();
    if (mandatory.stream().filter(text -> text.startsWith(REENCRYPT)).count() > 1) {
      throw requirements.damaged("mandatory", "one " + REENCRYPT + " at most");
    }
    return mandatory;
  }

  private static void requireKnown(
      List<Integer> ids, Map<Integer, Fields> known, Fields fields, String name)
      throws VolumeException {
    if (!known.keySet().containsAll(ids)) {
      throw fields.damaged(name, "only " + name + " that exist");
    }
  }

  private static void checkSegments(
      Map<Integer, DataSegment> segments, Map<Integer, KeyDigest> digests, Fields fields)
      throws VolumeException {
    List<DataSegment> regular =
        segments.values().stream()
            .filter(segment -> !segment.isBackup())
            .sorted(Comparator.comparingInt(DataSegment::id))
            .toList();
    if (regular.isEmpty()) {
      throw fields.damaged("segments", "at least one that is no backup");
    }
    for (int i = 0; i < regular.size(); i++) {
      DataSegment segment = regular.get(i);
      if (segment.id() != i) {
        throw fields.damaged("segments", "numbers from 0 without gaps, backups last");
      }
      if (segment.size() == Segment.REST && i != regular.size() - 1) {
        throw fields.damaged("segments", "no dynamic size but the last one's");
      }
    }
    checkOverlaps(regular, fields);
    for (DataSegment segment : segments.values()) {
      boolean proved =
          digests.values().stream().anyMatch(digest -> digest.segments().contains(segment.id()));
      if (segment.isCrypt() && !proved) {
        throw fields.damaged("digests", "one for segment " + segment.id());
      }
    }
  }

  private static void checkOverlaps(List<DataSegment> regular, Fields fields)
      throws VolumeException {
    List<DataSegment> byPlace = new ArrayList<>(regular);
    byPlace.sort(Comparator.comparingLong(DataSegment::offset));
    for (int i = 1; i < byPlace.size(); i++) {
      DataSegment before = byPlace.get(i - 1);
      if (before.size() == Segment.REST
          || before.offset() + before.size() > byPlace.get(i).offset()) {
        throw fields.damaged("segments", "no overlap of " + before.id());
      }
    }
  }

  private static void checkReencryption(
      Map<Integer, DataSegment> segments, List<String> requirements, Fields fields)
      throws VolumeException {
    if (requirements.stream().noneMatch(text -> text.startsWith(REENCRYPT))) {
      return;
    }
    for (String flag : List.of(DataSegment.PREVIOUS, DataSegment.FINAL)) {
      if (segments.values().stream().filter(segment -> segment.has(flag)).count() != 1) {
        throw fields.damaged("segments", "one with the flag " + flag);
      }
    }
  }

  private static long checkConfig(Fields config, int headerSize, Map<Integer, DataSegment> segments)
      throws VolumeException {
    if (config.size("json_size") != headerSize - BinaryHeader.LENGTH) {
      throw config.damaged("json_size", (headerSize - BinaryHeader.LENGTH) + "");
    }
    long keyslotsSize = config.size("keyslots_size");
    if (keyslotsSize % ALIGNMENT != 0 || keyslotsSize > MAX_KEYSLOTS_SIZE) {
      throw config.damaged("keyslots_size", "a multiple of 4096 up to 128 MiB");
    }
    long data = segments.values().stream().mapToLong(DataSegment::offset).min().orElse(0);
    if (data != 0 && 2L * headerSize + keyslotsSize > data) {
      throw config.damaged("keyslots_size", "an area that ends before the data at byte " + data);
    }
    return keyslotsSize;
  }

  private static void checkAreas(
      Map<Integer, Keyslot> keyslots,
      Map<Integer, Fields> fields,
      int headerSize,
      long keyslotsSize)
      throws VolumeException {
    long end = 2L * headerSize;
    long last = end + keyslotsSize;
    List<Keyslot> byPlace = new ArrayList<>(keyslots.values());
    byPlace.sort(Comparator.comparingLong(Keyslot::areaOffset));
    for (Keyslot keyslot : byPlace) {
      Fields area = fields.get(keyslot.id()).object("area");
      if (keyslot.areaOffset() < end) {
        throw area.damaged("offset", "at least " + end + ", where the last area ends");
      }
      if (keyslot.areaSize() < 1 || keyslot.areaSize() > last - keyslot.areaOffset()) {
        throw area.damaged("size", "an area that ends before byte " + last);
      }
      end = keyslot.areaOffset() + keyslot.areaSize();
    }
  }

  /** The segments that are the volume, in order. */
  List<DataSegment> regularSegments() {
    return segments.values().stream()
        .filter(segment -> !segment.isBackup())
        .sorted(Comparator.comparingInt(DataSegment::id))
        .toList();
  }

  /** The segment that new keyslots are for: what the volume will be, or is. */
  DataSegment defaultSegment() {
    return segments.values().stream()
        .filter(segment -> segment.has(DataSegment.FINAL))
        .findFirst()
        .orElseGet(() -> segments.get(0));
  }

  /** The digest that proves a segment's key; null for a segment without one. */
  KeyDigest digestOfSegment(int segment) {
    return digests.values().stream()
        .filter(digest -> digest.segments().contains(segment))
        .findFirst()
        .orElse(null);
  }

  /** The digest that proves a keyslot's key; null for a keyslot without one. */
  KeyDigest digestOfKeyslot(int keyslot) {
    return digests.values().stream()
        .filter(digest -> digest.keyslots().contains(keyslot))
        .findFirst()
        .orElse(null);
  }
}
