package io.jdm.volume.luks2;

import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.Segment;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A re-encryption that was begun and not finished (source: spec/luks2.md section 11). Between two
 * of its steps the volume opens as a mix of both states; in the middle of one it does not, and
 * nothing here goes on with it.
 */
final class Reencryption {
  private static final String PREFIX = "online-reencrypt-v";
  private static final String IN_PROGRESS = "in-reencryption";

  private final Metadata metadata;
  private final Fields keyslotFields;
  private final Keyslot keyslot;
  private final char version;
  private final DataSegment previous;
  private final DataSegment target;
  private final DataSegment moved;

  private Reencryption(Metadata metadata, Fields keyslotFields, Keyslot keyslot, char version) {
    this.metadata = metadata;
    this.keyslotFields = keyslotFields;
    this.keyslot = keyslot;
    this.version = version;
    this.previous = flagged(metadata, DataSegment.PREVIOUS);
    this.target = flagged(metadata, DataSegment.FINAL);
    this.moved = flagged(metadata, DataSegment.MOVED);
  }

  /** Whether this requirement is one that {@link #of} understands. */
  static boolean understands(String requirement) {
    return requirement.equals(PREFIX + "2") || requirement.equals(PREFIX + "3");
  }

  /**
   * What the metadata tells of it; null if there is none.
   *
   * @throws VolumeException {@code DAMAGED} in the middle of a step, or if its keyslot is missing
   */
  static Reencryption of(HeaderCopy copy) throws VolumeException {
    Metadata metadata = copy.metadata();
    String requirement =
        metadata.requirements().stream().filter(Reencryption::understands).findFirst().orElse(null);
    if (requirement == null) {
      return null;
    }
    if (metadata.segments().values().stream().anyMatch(segment -> segment.has(IN_PROGRESS))) {
      throw VolumeException.of(
          Reason.DAMAGED,
          Luks2Volume.FORMAT,
          "Device requires reencryption recovery: it was cut off in the middle of a step. Run"
              + " 'cryptsetup repair' on a copy of the image first.");
    }
    Keyslot keyslot =
        metadata.keyslots().values().stream()
            .filter(slot -> slot.type().equals(Keyslot.REENCRYPT))
            .findFirst()
            .orElse(null);
    if (keyslot == null) {
      throw VolumeException.of(
          Reason.DAMAGED,
          Luks2Volume.FORMAT,
          "the header tells of a re-encryption, but has no keyslot for it");
    }
    return new Reencryption(
        metadata,
        Fields.of(copy.json(), copy.header().jsonOffset())
            .objects("keyslots", Metadata.MAX_KEYSLOTS)
            .get(keyslot.id()),
        keyslot,
        requirement.charAt(PREFIX.length()));
  }

  private static DataSegment flagged(Metadata metadata, String flag) {
    return metadata.segments().values().stream()
        .filter(segment -> segment.has(flag))
        .findFirst()
        .orElse(null);
  }

  /** The digest of the old key; null if the old state is plaintext. */
  KeyDigest oldDigest() {
    return metadata.digestOfSegment(previous.id());
  }

  /** The digest of the new key; null if the new state is plaintext. */
  KeyDigest newDigest() {
    return metadata.digestOfSegment(target.id());
  }

  /**
   * Checks that whoever knows the keys wrote these parameters.
   *
   * @param keys by the numbers of their digests
   */
  void verify(Map<Integer, KeyMaterial> keys, KdfMonitor monitor) throws IOException {
    KeyDigest digest = metadata.digestOfKeyslot(keyslot.id());
    List<KeyMaterial> inOrder =
        Stream.of(oldDigest(), newDigest())
            .filter(Objects::nonNull)
            .distinct()
            .map(proved -> keys.get(proved.id()))
            .toList();
    byte[] parameters = parameters();
    int keyBytes = inOrder.stream().mapToInt(KeyMaterial::size).sum();
    ByteBuffer message = ByteBuffer.allocate(2 + keyBytes + parameters.length);
    message.put((byte) 'v').put((byte) version);
    inOrder.forEach(key -> message.put(key.exposeBuffer()));
    message.put(parameters);
    try (KeyMaterial secret = KeyMaterial.moveFrom(message.array())) {
      if (digest == null || !digest.proves(secret, monitor)) {
        throw VolumeException.of(
            Reason.DAMAGED,
            Luks2Volume.FORMAT,
            "the parameters of the re-encryption are not those that it was begun with");
      }
    }
  }

  private byte[] parameters() throws VolumeException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Fields area = keyslotFields.object("area");
    text(out, keyslotFields.text("mode"));
    text(out, keyslotFields.text("direction"));
    text(out, keyslot.areaType());
    number(out, keyslot.areaOffset());
    number(out, keyslot.areaSize());
    if (keyslot.areaType().endsWith("checksum")) {
      text(out, area.text("hash"));
      integer(out, area.number("sector_size", 1, Integer.MAX_VALUE));
    }
    if (keyslot.areaType().startsWith("datashift")) {
      number(out, area.size("shift_size"));
    }
    segment(out, previous);
    segment(out, target);
    if (moved != null) {
      segment(out, moved);
    }
    return out.toByteArray();
  }

  private static void segment(ByteArrayOutputStream out, DataSegment segment) {
    text(out, segment.type());
    number(out, segment.offset());
    if (segment.size() == Segment.REST) {
      text(out, DataSegment.DYNAMIC);
    } else {
      number(out, segment.size());
    }
    if (segment.isCrypt()) {
      number(out, segment.ivOffset());
      text(out, segment.encryption());
      integer(out, segment.sectorSize());
    }
  }

  private static void text(ByteArrayOutputStream out, String text) {
    out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void number(ByteArrayOutputStream out, long number) {
    out.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  private static void integer(ByteArrayOutputStream out, int number) {
    out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
  }
}
