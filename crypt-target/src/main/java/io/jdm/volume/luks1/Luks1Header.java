package io.jdm.volume.luks1;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.kdf.Digests;
import io.jdm.mapper.Arguments;
import io.jdm.volume.ByteString;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.VolumeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The partition header of LUKS1 (source: spec/luks1.md sections 1 and 2). Immutable.
 *
 * @param payloadOffset 512-byte sectors; 0 if the data lies on a device of its own
 * @param keySize bytes of the volume key
 * @param digest 20 bytes
 * @param digestSalt 32 bytes
 */
record Luks1Header(
    String cipherName,
    String cipherMode,
    String hash,
    long payloadOffset,
    int keySize,
    ByteString digest,
    ByteString digestSalt,
    long digestIterations,
    String uuid,
    List<Luks1Keyslot> keyslots) {
  static final String FORMAT = "LUKS1";

  /** Bytes up to the end of the last key slot. */
  static final int SIZE = 592;

  static final int KEYSLOTS = 8;
  static final int STRIPES = 4000;
  static final int DIGEST_SIZE = 20;
  static final int SALT_SIZE = 32;

  /** The least; a volume key is random enough to need no more. */
  static final int DIGEST_ITERATIONS = 1000;

  static final byte[] MAGIC = {'L', 'U', 'K', 'S', (byte) 0xba, (byte) 0xbe};

  private static final int VERSION = 1;
  private static final int ACTIVE = 0x00ac71f3;
  private static final int INACTIVE = 0x0000dead;
  private static final int FIRST_KEYSLOT = 208;
  private static final int KEYSLOT_SIZE = 48;

  /** Sectors of the structure that cryptsetup keeps, where no key material may lie. */
  private static final int HEADER_SECTORS = 2;

  /** Bytes of the longest key that any cipher here takes. */
  private static final int MAX_KEY_SIZE = 512;

  /** Whether there is a header of this version. */
  static boolean isAt(byte[] bytes) {
    return HeaderBytes.has(bytes, 0, MAGIC)
        && bytes.length >= 8
        && ByteBuffer.wrap(bytes).getShort(6) == VERSION;
  }

  /**
   * Reads and checks a header.
   *
   * @param bytes at least {@link #SIZE}
   */
  static Luks1Header parse(byte[] bytes) throws VolumeException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    String hash = text(bytes, 72, 32, "hash-spec");
    if (!Digests.known(hash) || Digests.size(hash) < DIGEST_SIZE) {
      throw VolumeException.of(
          VolumeException.Reason.UNSUPPORTED,
          FORMAT,
          72,
          "hash-spec",
          "Requested LUKS hash " + Arguments.show(hash) + " is not supported.");
    }
    long keySize = Integer.toUnsignedLong(buffer.getInt(108));
    if (keySize < 1 || keySize > MAX_KEY_SIZE) {
      throw VolumeException.damaged(
          FORMAT, 108, "key-bytes", keySize, "1 to " + MAX_KEY_SIZE + " bytes");
    }
    long digestIterations = Integer.toUnsignedLong(buffer.getInt(164));
    if (digestIterations == 0) {
      throw VolumeException.damaged(FORMAT, 164, "mk-digest-iter", 0, "at least 1");
    }
    List<Luks1Keyslot> keyslots = new ArrayList<>();
    for (int i = 0; i < KEYSLOTS; i++) {
      keyslots.add(keyslot(bytes, i));
    }
    Luks1Header header =
        new Luks1Header(
            text(bytes, 8, 32, "cipher-name"),
            text(bytes, 40, 32, "cipher-mode"),
            hash,
            Integer.toUnsignedLong(buffer.getInt(104)),
            (int) keySize,
            ByteString.of(bytes, 112, DIGEST_SIZE),
            ByteString.of(bytes, 132, SALT_SIZE),
            digestIterations,
            text(bytes, 168, 40, "uuid"),
            List.copyOf(keyslots));
    header.checkLayout();
    return header;
  }

  private static String text(byte[] bytes, int offset, int size, String field)
      throws VolumeException {
    String text = HeaderBytes.text(bytes, offset, size);
    if (text.length() == size || !text.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw VolumeException.damaged(
          FORMAT, offset, field, text, "printable characters and a NUL byte");
    }
    return text;
  }

  private static Luks1Keyslot keyslot(byte[] bytes, int index) throws VolumeException {
    int offset = FIRST_KEYSLOT + index * KEYSLOT_SIZE;
    ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, KEYSLOT_SIZE).slice();
    int active = buffer.getInt(0);
    if (active != ACTIVE && active != INACTIVE) {
      throw VolumeException.damaged(
          FORMAT,
          offset,
          "active of key slot " + index,
          String.format("%08x", active),
          "00ac71f3 or 0000dead");
    }
    long iterations = Integer.toUnsignedLong(buffer.getInt(4));
    if (active == ACTIVE && iterations == 0) {
      throw VolumeException.damaged(
          FORMAT, offset + 4L, "iterations of key slot " + index, 0, "at least 1");
    }
    long stripes = Integer.toUnsignedLong(buffer.getInt(44));
    if (stripes != STRIPES) {
      throw VolumeException.damaged(
          FORMAT, offset + 44L, "stripes of key slot " + index, stripes, "4000");
    }
    return new Luks1Keyslot(
        active == ACTIVE,
        iterations,
        ByteString.of(bytes, offset + 8, SALT_SIZE),
        Integer.toUnsignedLong(buffer.getInt(40)),
        (int) stripes);
  }

  /** Key material lies behind the header and before the data, and never one on the other. */
  private void checkLayout() throws VolumeException {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < KEYSLOTS; i++) {
      order.add(i);
    }
    order.sort(Comparator.comparingLong(i -> keyslots.get(i).materialOffset()));
    long free = HEADER_SECTORS;
    for (int i : order) {
      long start = keyslots.get(i).materialOffset();
      long end = start + materialSectors();
      if (start < free || (payloadOffset != 0 && end > payloadOffset)) {
        throw VolumeException.damaged(
            FORMAT,
            FIRST_KEYSLOT + i * (long) KEYSLOT_SIZE + 40,
            "key-material-offset of key slot " + i,
            start,
            "sectors behind the header and other key slots, and "
                + materialSectors()
                + " sectors before the data");
      }
      free = end;
    }
  }

  /** The header's bytes. */
  byte[] encode() {
    byte[] bytes = new byte[SIZE];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    buffer.put(MAGIC).putShort((short) VERSION);
    put(buffer, 8, cipherName);
    put(buffer, 40, cipherMode);
    put(buffer, 72, hash);
    buffer.putInt(104, (int) payloadOffset).putInt(108, keySize);
    buffer
        .put(112, digest.toArray())
        .put(132, digestSalt.toArray())
        .putInt(164, (int) digestIterations);
    put(buffer, 168, uuid);
    for (int i = 0; i < KEYSLOTS; i++) {
      Luks1Keyslot keyslot = keyslots.get(i);
      int offset = FIRST_KEYSLOT + i * KEYSLOT_SIZE;
      buffer
          .putInt(offset, keyslot.active() ? ACTIVE : INACTIVE)
          .putInt(offset + 4, (int) keyslot.iterations())
          .put(offset + 8, keyslot.salt().toArray())
          .putInt(offset + 40, (int) keyslot.materialOffset())
          .putInt(offset + 44, keyslot.stripes());
    }
    return bytes;
  }

  private static void put(ByteBuffer buffer, int offset, String text) {
    buffer.put(offset, text.getBytes(StandardCharsets.US_ASCII));
  }

  /** As a crypt table has it. */
  String cipher() {
    return cipherName + "-" + cipherMode;
  }

  /** Sectors of one slot's key material. */
  long materialSectors() {
    return (keySize * (long) STRIPES + Sectors.SIZE - 1) / Sectors.SIZE;
  }

  /** Where the last key material ends, in bytes. */
  long materialEnd() {
    long last = keyslots.stream().mapToLong(Luks1Keyslot::materialOffset).max().orElse(0);
    return Sectors.toBytes(last + materialSectors());
  }

  /** The same with another key slot. */
  Luks1Header with(int index, Luks1Keyslot keyslot) {
    List<Luks1Keyslot> changed = new ArrayList<>(keyslots);
    changed.set(index, keyslot);
    return new Luks1Header(
        cipherName,
        cipherMode,
        hash,
        payloadOffset,
        keySize,
        digest,
        digestSalt,
        digestIterations,
        uuid,
        List.copyOf(changed));
  }

  /** The same with another UUID. */
  Luks1Header withUuid(String uuid) {
    return new Luks1Header(
        cipherName,
        cipherMode,
        hash,
        payloadOffset,
        keySize,
        digest,
        digestSalt,
        digestIterations,
        uuid,
        keyslots);
  }
}
