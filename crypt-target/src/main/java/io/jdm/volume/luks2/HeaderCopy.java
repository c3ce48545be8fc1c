package io.jdm.volume.luks2;

import io.jdm.blockdev.BlockDevice;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.io.IOException;
import java.util.Map;

/**
 * One of the two copies of the header, good or not (source: spec/luks2.md section 3).
 *
 * @param header null if the binary header or its checksum is bad
 * @param json null if that or the JSON area is bad
 * @param metadata null as {@code json}
 * @param problem what is bad; null if nothing is
 */
record HeaderCopy(
    BinaryHeader header, Map<String, Object> json, Metadata metadata, VolumeException problem) {

  /** Reads the copy at the start of the device. */
  static HeaderCopy readPrimary(BlockDevice device) throws IOException {
    return read(device, 0);
  }

  /**
   * Reads the second copy.
   *
   * @param primary tells where it is; if it cannot, every place is tried
   */
  static HeaderCopy readSecondary(BlockDevice device, HeaderCopy primary) throws IOException {
    if (primary.header != null) {
      return read(device, primary.header.size());
    }
    HeaderCopy first = null;
    for (int offset : BinaryHeader.SIZES) {
      HeaderCopy copy = read(device, offset);
      if (copy.isGood()) {
        return copy;
      }
      if (first == null || first.problem.reason() == Reason.NOT_FOUND) {
        first = copy;
      }
    }
    return first;
  }

  /** Reads the copy at a place; if there is none, that is its problem. */
  static HeaderCopy read(BlockDevice device, long offset) throws IOException {
    try {
      byte[] bytes = HeaderBytes.read(device, offset, BinaryHeader.LENGTH);
      if (!BinaryHeader.isAt(bytes, offset == 0)) {
        throw VolumeException.of(
            Reason.NOT_FOUND,
            Luks2Volume.FORMAT,
            offset,
            "magic",
            "there is no LUKS2 header at byte " + offset);
      }
      if (bytes.length < BinaryHeader.LENGTH) {
        throw cut(offset, "binary header", bytes.length, BinaryHeader.LENGTH);
      }
      BinaryHeader header = BinaryHeader.parse(bytes, offset);
      byte[] area = HeaderBytes.read(device, header.jsonOffset(), header.jsonSize());
      if (area.length < header.jsonSize()) {
        throw cut(header.jsonOffset(), "JSON area", area.length, header.jsonSize());
      }
      header.verify(bytes, area);
      return parse(header, area);
    } catch (VolumeException e) {
      return new HeaderCopy(null, null, null, e);
    }
  }

  private static VolumeException cut(long offset, String field, int found, int expected) {
    return VolumeException.damaged(
        Luks2Volume.FORMAT, offset, field, "cut after " + found + " bytes", expected + " bytes");
  }

  private static HeaderCopy parse(BinaryHeader header, byte[] area) {
    try {
      Map<String, Object> json = Json.parse(area, header.jsonOffset());
      return new HeaderCopy(
          header, json, Metadata.parse(json, header.size(), header.jsonOffset()), null);
    } catch (VolumeException e) {
      return new HeaderCopy(header, null, null, e);
    }
  }

  boolean isGood() {
    return metadata != null;
  }

  /**
   * The copy that counts.
   *
   * @throws VolumeException {@code NOT_FOUND} if neither is there, else what is wrong with the
   *     first that is
   */
  static HeaderCopy choose(HeaderCopy primary, HeaderCopy secondary) throws VolumeException {
    if (primary.isGood() && secondary.isGood()) {
      return secondary.header.sequence() > primary.header.sequence() ? secondary : primary;
    }
    if (primary.isGood() || secondary.isGood()) {
      return primary.isGood() ? primary : secondary;
    }
    throw primary.problem.reason() == Reason.NOT_FOUND ? secondary.problem : primary.problem;
  }
}
