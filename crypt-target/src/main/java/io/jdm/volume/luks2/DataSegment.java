package io.jdm.volume.luks2;

import io.jdm.blockdev.Sectors;
import io.jdm.volume.Segment;
import io.jdm.volume.VolumeException;
import java.util.List;

/**
 * A segment (source: spec/luks2.md section 5.2).
 *
 * @param type {@code crypt}, {@code linear}, or one that is not known here
 * @param offset bytes from the start of the data device
 * @param size bytes; {@link Segment#REST} for the rest of the device
 * @param flags {@code in-reencryption} and the like
 * @param ivOffset 512-byte sectors; 0 unless {@code crypt}
 * @param encryption as in a crypt table; null unless {@code crypt}
 * @param sectorSize bytes of an encryption sector
 * @param integrity the type of integrity protection; null for none
 */
public record DataSegment(
    int id,
    String type,
    long offset,
    long size,
    List<String> flags,
    long ivOffset,
    String encryption,
    int sectorSize,
    String integrity) {
  static final String CRYPT = "crypt";
  static final String LINEAR = "linear";
  static final String FINAL = "backup-final";
  static final String PREVIOUS = "backup-previous";
  static final String MOVED = "backup-moved-segment";
  static final String DYNAMIC = "dynamic";
  private static final String BACKUP = "backup-";
  private static final int MAX_SECTOR_SIZE = 4096;

  static DataSegment parse(int id, Fields fields) throws VolumeException {
    String type = fields.text("type");
    long offset = fields.size("offset");
    if (offset % Sectors.SIZE != 0) {
      throw fields.damaged("offset", "a multiple of 512");
    }
    long size = fields.text("size").equals(DYNAMIC) ? Segment.REST : fields.size("size");
    if (size == 0 || (size != Segment.REST && size % Sectors.SIZE != 0)) {
      throw fields.damaged("size", "a multiple of 512 above 0, or dynamic");
    }
    if (size > Long.MAX_VALUE - offset) {
      throw fields.damaged("size", "an end below 2^63");
    }
    List<String> flags = fields.has("flags") ? fields.texts("flags") : List.of();
    if (!type.equals(CRYPT)) {
      return new DataSegment(id, type, offset, size, flags, 0, null, Sectors.SIZE, null);
    }
    int sectorSize = fields.number("sector_size", Sectors.SIZE, MAX_SECTOR_SIZE);
    if (Integer.bitCount(sectorSize) != 1) {
      throw fields.damaged("sector_size", "512, 1024, 2048 or 4096");
    }
    if (size != Segment.REST && size % sectorSize != 0) {
      throw fields.damaged("size", "a multiple of the sector size " + sectorSize);
    }
    return new DataSegment(
        id,
        type,
        offset,
        size,
        flags,
        fields.size("iv_tweak"),
        fields.text("encryption"),
        sectorSize,
        fields.has("integrity") ? fields.object("integrity").text("type") : null);
  }

  /** Whether it only tells what was or will be, in a re-encryption. */
  boolean isBackup() {
    return flags.stream().anyMatch(flag -> flag.startsWith(BACKUP));
  }

  boolean isCrypt() {
    return type.equals(CRYPT);
  }

  boolean has(String flag) {
    return flags.contains(flag);
  }
}
