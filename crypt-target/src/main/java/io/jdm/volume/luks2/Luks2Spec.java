package io.jdm.volume.luks2;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.SectorCrypt;
import io.jdm.crypt.kdf.Digests;
import io.jdm.mapper.TargetException;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What a new LUKS2 volume shall be (source: spec/luks2.md section 7).
 *
 * @param cipher as in a crypt table
 * @param sectorSize bytes of an encryption sector
 * @param hash of the digest
 * @param uuid of the header
 * @param label empty for none
 * @param subsystem empty for none
 * @param metadataSize bytes of one copy of the header
 * @param keyslotsSize bytes of the area of all keyslots
 * @param dataOffset bytes; 0 if the data lies on a device of its own
 */
public record Luks2Spec(
    String cipher,
    int sectorSize,
    String hash,
    String uuid,
    String label,
    String subsystem,
    int metadataSize,
    long keyslotsSize,
    long dataOffset) {
  /** The cipher of new volumes, and of keyslots where the volume's own is not one for them. */
  public static final String DEFAULT_CIPHER = "aes-xts-plain64";

  /** Bytes of its key. */
  public static final int DEFAULT_KEY_SIZE = 64;

  static final int DIGEST_ITERATIONS = 1000;

  private static final long DEFAULT_DATA_OFFSET = 16 << 20;

  /** What cryptsetup overwrites at most in front of the data. */
  private static final long MAX_WIPE = 136L << 20;

  /** What cryptsetup makes if nothing else is asked for, with sectors of 512 bytes. */
  public static Luks2Spec defaults() {
    return new Luks2Spec(
        DEFAULT_CIPHER,
        Sectors.SIZE,
        "sha256",
        UUID.randomUUID().toString(),
        "",
        "",
        BinaryHeader.MIN_SIZE,
        DEFAULT_DATA_OFFSET - 2 * BinaryHeader.MIN_SIZE,
        DEFAULT_DATA_OFFSET);
  }

  /** Checks what does not fit together, before anything is overwritten. */
  void check(long deviceSize, int keySize) throws VolumeException {
    if (!BinaryHeader.SIZES.contains(metadataSize)) {
      throw refused("Unsupported LUKS2 metadata size options.");
    }
    if (keyslotsSize % Metadata.ALIGNMENT != 0
        || keyslotsSize < Luks2Editor.areaSize(keySize)
        || keyslotsSize > Metadata.MAX_KEYSLOTS_SIZE) {
      throw refused(
          "the keyslots area has "
              + keyslotsSize
              + " bytes, expected a multiple of 4096 from "
              + Luks2Editor.areaSize(keySize)
              + " to 128 MiB");
    }
    if (dataOffset % sectorSize != 0
        || (dataOffset != 0 && dataOffset < 2L * metadataSize + keyslotsSize)) {
      throw refused(
          "the data begins at byte "
              + dataOffset
              + ", expected a multiple of the sector size behind the keyslots, which end at byte "
              + (2L * metadataSize + keyslotsSize));
    }
    if (!BinaryHeader.fitsLabel(label) || !BinaryHeader.fitsLabel(subsystem)) {
      throw refused("a label or subsystem has 47 bytes at most");
    }
    if (!Digests.known(hash) || Digests.size(hash) < 20) {
      throw refused("Requested hash " + hash + " is not supported.");
    }
    if (deviceSize < 2L * metadataSize + Luks2Editor.areaSize(keySize)) {
      throw VolumeException.of(
          Reason.NO_SPACE,
          Luks2Volume.FORMAT,
          "the device has " + deviceSize + " bytes, too few for a header and one keyslot");
    }
    try {
      SectorCrypt.check(cipher, keySize);
    } catch (TargetException e) {
      throw VolumeException.of(Reason.UNSUPPORTED, Luks2Volume.FORMAT, e.getMessage(), e);
    }
  }

  private static VolumeException refused(String message) {
    return VolumeException.of(Reason.UNSUPPORTED, Luks2Volume.FORMAT, message);
  }

  /** Whether keyslots can have the volume's cipher: the real tool needs it in user space. */
  static boolean isKeyslotCipher(String cipher, int keySize) {
    if (!cipher.startsWith("aes-xts-") && !cipher.startsWith("aes-cbc-")) {
      return false;
    }
    try {
      SectorCrypt.check(cipher, keySize);
      return true;
    } catch (TargetException e) {
      return false;
    }
  }

  /** Bytes from the start that are overwritten with zeros. */
  long wipeSize() {
    return Math.min(dataOffset == 0 ? 2L * metadataSize + keyslotsSize : dataOffset, MAX_WIPE);
  }

  /** The metadata without keyslots and digests. */
  Map<String, Object> tree() {
    Map<String, Object> segment = new LinkedHashMap<>();
    segment.put("type", DataSegment.CRYPT);
    segment.put("offset", dataOffset + "");
    segment.put("size", DataSegment.DYNAMIC);
    segment.put("iv_tweak", "0");
    segment.put("encryption", cipher);
    segment.put("sector_size", sectorSize);
    Map<String, Object> config = new LinkedHashMap<>();
    config.put("json_size", (metadataSize - BinaryHeader.LENGTH) + "");
    config.put("keyslots_size", keyslotsSize + "");
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("keyslots", new LinkedHashMap<>());
    tree.put("tokens", new LinkedHashMap<>());
    tree.put("segments", new LinkedHashMap<>(Map.of("0", segment)));
    tree.put("digests", new LinkedHashMap<>());
    tree.put("config", config);
    return tree;
  }
}
