package io.jdm.volume;

import io.jdm.blockdev.Sectors;
import io.jdm.mapper.TableLine;
import io.jdm.mapper.TableText;
import io.jdm.volume.VolumeException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A volume with its keys: all that its table needs. Closing wipes the keys; tables made before keep
 * their own copies.
 */
public final class UnlockedVolume implements AutoCloseable {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NO_KEY = {'-'};
  private static final String NULL_CIPHER = "cipher_null";

  private final String format;
  private final String uuid;
  private final int keyslot;
  private final List<Segment> segments;
  private final List<String> flags;

  /**
   * @param uuid empty for none
   * @param keyslot that opened it; -1 if none was needed
   * @param segments in the volume's order; their keys belong to this from now on
   * @param flags words of the crypt table that the header asks for, {@code allow_discards}
   */
  public UnlockedVolume(
      String format, String uuid, int keyslot, List<Segment> segments, List<String> flags) {
    this.format = format;
    this.uuid = uuid;
    this.keyslot = keyslot;
    this.segments = List.copyOf(segments);
    this.flags = List.copyOf(flags);
  }

  /** {@code LUKS1}, {@code LUKS2}, {@code PLAIN}. */
  public String format() {
    return format;
  }

  /** The header's; empty for none. */
  public String uuid() {
    return uuid;
  }

  /** That opened it; -1 if none was needed. */
  public int keyslot() {
    return keyslot;
  }

  /** The parts, one after the other; keys stay this object's. */
  public List<Segment> segments() {
    return segments;
  }

  /** Words of the crypt table that the header asks for. */
  public List<String> flags() {
    return flags;
  }

  /** The UUID that cryptsetup gives a mapped device: {@code CRYPT-LUKS2-<uuid>-<name>}. */
  public String deviceUuid(String name) {
    String middle = uuid.isEmpty() ? "" : uuid.replace("-", "") + "-";
    return "CRYPT-" + format + "-" + middle + name;
  }

  /**
   * The device-mapper table, which holds keys; the caller closes it.
   *
   * @param device how the table names the data device
   * @param deviceSize its bytes; what is not a whole encryption sector at its end is left out
   * @throws VolumeException if the device ends before the data, or before a segment of fixed size
   */
  public TableText table(String device, long deviceSize) throws VolumeException {
    List<TableLine> lines = new ArrayList<>();
    long start = 0;
    for (Segment segment : segments) {
      long length = length(segment, deviceSize);
      lines.add(
          new TableLine(
              Sectors.fromBytes(start),
              Sectors.fromBytes(length),
              segment.cipher() == null ? "linear" : "crypt",
              parameters(segment, device)));
      start += length;
    }
    return TableText.of(lines.toArray(new TableLine[0]));
  }

  private long length(Segment segment, long deviceSize) throws VolumeException {
    long room = deviceSize - segment.offset();
    long length =
        segment.length() == Segment.REST ? room & -segment.sectorSize() : segment.length();
    if (length <= 0 || length > room) {
      throw VolumeException.of(
          Reason.DAMAGED,
          format,
          segment.offset(),
          "segment",
          "the data device ends at byte "
              + deviceSize
              + ", but the volume needs "
              + (segment.length() == Segment.REST ? "more than " : "")
              + (segment.offset() + Math.max(0, segment.length())));
    }
    return length;
  }

  private byte[] parameters(Segment segment, String device) {
    String place = " " + quote(device) + " " + Sectors.fromBytes(segment.offset());
    if (segment.cipher() == null) {
      return place.substring(1).getBytes(StandardCharsets.UTF_8);
    }
    List<String> words = new ArrayList<>(flags);
    if (segment.sectorSize() != Sectors.SIZE) {
      words.add("sector_size:" + segment.sectorSize());
    }
    if (segment.ivLargeSectors()) {
      words.add("iv_large_sectors");
    }
    String options = words.isEmpty() ? "" : " " + words.size() + " " + String.join(" ", words);
    byte[] before = (segment.cipher() + " ").getBytes(StandardCharsets.UTF_8);
    byte[] key = keyText(segment);
    byte[] after =
        (" " + Long.toUnsignedString(segment.ivOffset()) + place + options)
            .getBytes(StandardCharsets.UTF_8);
    byte[] all =
        ByteBuffer.allocate(before.length + key.length + after.length)
            .put(before)
            .put(key)
            .put(after)
            .array();
    if (key != NO_KEY) {
      Arrays.fill(key, (byte) 0);
    }
    return all;
  }

  private static byte[] keyText(Segment segment) {
    if (segment.cipher().startsWith(NULL_CIPHER)) {
      return NO_KEY;
    }
    byte[] key = segment.key().exposeBytes();
    byte[] text = new byte[2 * key.length];
    for (int i = 0; i < key.length; i++) {
      text[2 * i] = HEX[(key[i] >> 4) & 15];
      text[2 * i + 1] = HEX[key[i] & 15];
    }
    Arrays.fill(key, (byte) 0);
    return text;
  }

  /** A table's words end at spaces that no backslash quotes. */
  private static String quote(String device) {
    return device.replaceAll("[\\\\\\s]", "\\\\$0");
  }

  @Override
  public void close() {
    for (Segment segment : segments) {
      if (segment.key() != null) {
        segment.key().close();
      }
    }
  }

  /** Without the keys. */
  @Override
  public String toString() {
    return format + " " + segments;
  }
}
