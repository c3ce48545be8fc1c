package io.jdm.volume.luks2;

import io.jdm.crypt.kdf.Digests;
import io.jdm.volume.ByteString;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.VolumeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;

/**
 * The binary header in front of each JSON area (source: spec/luks2.md section 2). Immutable.
 *
 * @param offset of this copy on the device: 0, or {@code size}
 * @param size bytes of this copy with its JSON area
 * @param sequence one more with every change
 * @param salt 64 bytes, different in the two copies
 * @param checksum of the length of the algorithm's hash
 */
record BinaryHeader(
    long offset,
    int size,
    long sequence,
    String label,
    String checksumAlgorithm,
    ByteString salt,
    String uuid,
    String subsystem,
    ByteString checksum) {
  /** Bytes of the header itself. */
  static final int LENGTH = 4096;

  static final int MIN_SIZE = 0x4000;
  static final int MAX_SIZE = 0x400000;
  static final int SALT_SIZE = 64;

  /** What the size of a copy can be, which is where the second one can begin. */
  static final List<Integer> SIZES =
      List.of(0x4000, 0x8000, 0x10000, 0x20000, 0x40000, 0x80000, 0x100000, 0x200000, MAX_SIZE);

  private static final byte[] PRIMARY = {'L', 'U', 'K', 'S', (byte) 0xba, (byte) 0xbe};
  private static final byte[] SECONDARY = {'S', 'K', 'U', 'L', (byte) 0xba, (byte) 0xbe};
  private static final int VERSION = 2;
  private static final int CHECKSUM = 448;
  private static final int CHECKSUM_SIZE = 64;
  private static final int LABEL_SIZE = 48;
  private static final int UUID_SIZE = 40;

  /** Whether these bytes begin a copy of this version, which may be damaged. */
  static boolean isAt(byte[] bytes, boolean primary) {
    return HeaderBytes.has(bytes, 0, primary ? PRIMARY : SECONDARY)
        && bytes.length >= 8
        && ByteBuffer.wrap(bytes).getShort(6) == VERSION;
  }

  /**
   * Reads a header; its checksum is not looked at.
   *
   * @param bytes {@link #LENGTH} at least, for which {@link #isAt} holds
   * @param offset where they come from
   */
  static BinaryHeader parse(byte[] bytes, long offset) throws VolumeException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    long size = buffer.getLong(8);
    if (size < 0 || size > MAX_SIZE || !SIZES.contains((int) size)) {
      throw damaged(offset, 8, "hdr_size", Long.toUnsignedString(size), "one of " + SIZES);
    }
    long own = buffer.getLong(256);
    if (own != offset || (offset != 0 && offset != size)) {
      throw damaged(offset, 256, "hdr_offset", Long.toUnsignedString(own), offset + "");
    }
    String algorithm = text(bytes, offset, 72, 32, "csum_alg");
    if (!Digests.known(algorithm) || Digests.size(algorithm) > CHECKSUM_SIZE) {
      throw damaged(offset, 72, "csum_alg", algorithm, "a known hash, like sha256");
    }
    return new BinaryHeader(
        offset,
        (int) size,
        buffer.getLong(16),
        text(bytes, offset, 24, LABEL_SIZE, "label"),
        algorithm,
        ByteString.of(bytes, 104, SALT_SIZE),
        text(bytes, offset, 168, UUID_SIZE, "uuid"),
        text(bytes, offset, 208, LABEL_SIZE, "subsystem"),
        ByteString.of(bytes, CHECKSUM, Digests.size(algorithm)));
  }

  private static String text(byte[] bytes, long offset, int at, int size, String field)
      throws VolumeException {
    byte[] raw = HeaderBytes.text(bytes, at, size).getBytes(StandardCharsets.ISO_8859_1);
    if (raw.length == size) {
      throw damaged(offset, at, field, size + " bytes long", "a NUL byte at its end");
    }
    return new String(raw, StandardCharsets.UTF_8);
  }

  private static VolumeException damaged(
      long offset, int at, String field, String found, String expected) {
    return VolumeException.damaged(Luks2Volume.FORMAT, offset + at, field, found, expected);
  }

  /** Whether a text fits a label or subsystem. */
  static boolean fitsLabel(String text) {
    return text.indexOf('\0') < 0 && text.getBytes(StandardCharsets.UTF_8).length < LABEL_SIZE;
  }

  /** The same with another sequence number. */
  BinaryHeader withSequence(long sequence) {
    return new BinaryHeader(
        offset, size, sequence, label, checksumAlgorithm, salt, uuid, subsystem, checksum);
  }

  /** The same with other names; both {@link #fitsLabel}. */
  BinaryHeader withNames(String label, String subsystem) {
    return new BinaryHeader(
        offset, size, sequence, label, checksumAlgorithm, salt, uuid, subsystem, checksum);
  }

  /** The same with another UUID. */
  BinaryHeader withUuid(String uuid) {
    return new BinaryHeader(
        offset, size, sequence, label, checksumAlgorithm, salt, uuid, subsystem, checksum);
  }

  /** The copy at another place. */
  BinaryHeader at(long offset, ByteString salt) {
    return new BinaryHeader(
        offset, size, sequence, label, checksumAlgorithm, salt, uuid, subsystem, checksum);
  }

  /** Where the JSON area begins on the device. */
  long jsonOffset() {
    return offset + LENGTH;
  }

  /** Bytes of the JSON area. */
  int jsonSize() {
    return size - LENGTH;
  }

  /**
   * Checks the checksum.
   *
   * @param json the whole JSON area
   */
  void verify(byte[] header, byte[] json) throws VolumeException {
    byte[] copy = Arrays.copyOf(header, LENGTH);
    Arrays.fill(copy, CHECKSUM, CHECKSUM + CHECKSUM_SIZE, (byte) 0);
    if (!ByteString.of(sum(copy, json)).equals(checksum)) {
      throw damaged(offset, CHECKSUM, "csum", "wrong", "the hash of header and JSON area");
    }
  }

  private byte[] sum(byte[] header, byte[] json) {
    MessageDigest digest = Digests.create(checksumAlgorithm);
    digest.update(header);
    return digest.digest(json);
  }

  /** The header's bytes for a JSON area. */
  byte[] encode(byte[] json) {
    byte[] header = encodeWithoutChecksum();
    byte[] sum = sum(header, json);
    System.arraycopy(sum, 0, header, CHECKSUM, sum.length);
    return header;
  }

  /** The header's bytes with zeros for the checksum. */
  byte[] encodeWithoutChecksum() {
    ByteBuffer buffer = ByteBuffer.allocate(LENGTH);
    buffer.put(offset == 0 ? PRIMARY : SECONDARY).putShort((short) VERSION);
    buffer.putLong(8, size).putLong(16, sequence);
    put(buffer, 24, label);
    put(buffer, 72, checksumAlgorithm);
    buffer.put(104, salt.toArray());
    put(buffer, 168, uuid);
    put(buffer, 208, subsystem);
    buffer.putLong(256, offset);
    return buffer.array();
  }

  private static void put(ByteBuffer buffer, int at, String text) {
    buffer.put(at, text.getBytes(StandardCharsets.UTF_8));
  }
}
