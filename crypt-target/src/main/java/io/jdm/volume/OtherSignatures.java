package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.volume.Signature.Confidence;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * What else a device may hold that nobody here opens: named, so that it is neither taken for a
 * volume nor overwritten (source: magic numbers of blkid; spec/plain-and-others.md sections 4 and
 * 5).
 */
final class OtherSignatures {
  /** Behind every signature that is looked for, those of file systems included. */
  private static final int WINDOW = 128 << 10;

  private static final int UUID_SIZE = 16;

  /** Where magic bytes lie, and what they tell. Label and UUID offsets of -1: there is none. */
  private record Magic(
      String type, int offset, String text, int uuidOffset, int labelOffset, int labelSize) {}

  private static final List<Magic> MAGICS =
      List.of(
          magic("BitLocker", 3, "-FVE-FS-"),
          magic("ntfs", 3, "NTFS    "),
          magic("exfat", 3, "EXFAT   "),
          magic("iso9660", 32769, "CD001", -1, 32808, 32),
          magic("squashfs", 0, "hsqs"),
          magic("xfs", 0, "XFSB", 32, 108, 12),
          magic("btrfs", 65600, "_BHRfS_M", 65568, 65835, 256),
          magic("swap", 4086, "SWAPSPACE2", 1036, 1052, 16),
          magic("LVM2_member", 536, "LVM2 001"),
          magic("gpt", 512, "EFI PART", -1, -1, 0),
          magic("gpt", 4096, "EFI PART", -1, -1, 0));

  private static Magic magic(String type, int offset, String text) {
    return magic(type, offset, text, -1, -1, 0);
  }

  private static Magic magic(
      String type, int offset, String text, int uuidOffset, int labelOffset, int labelSize) {
    return new Magic(type, offset, text, uuidOffset, labelOffset, labelSize);
  }

  private OtherSignatures() {}

  static List<Signature> probe(BlockDevice device) throws IOException {
    byte[] bytes = HeaderBytes.read(device, 0, WINDOW);
    List<Signature> found = new ArrayList<>();
    for (Magic magic : MAGICS) {
      if (HeaderBytes.has(bytes, magic.offset, ascii(magic.text))) {
        found.add(
            new Signature(
                magic.type,
                "",
                magic.offset,
                Confidence.MAGIC,
                label(bytes, magic.labelOffset, magic.labelSize),
                uuid(bytes, magic.uuidOffset)));
      }
    }
    addExt(found, bytes);
    addFat(found, bytes);
    addFileVault(found, bytes);
    addMbr(found, bytes);
    return found;
  }

  /** ext2, ext3 and ext4 differ in what they are able to do. */
  private static void addExt(List<Signature> found, byte[] bytes) {
    int superblock = 1024;
    if (!HeaderBytes.has(bytes, superblock + 56, new byte[] {0x53, (byte) 0xef})
        || bytes.length < superblock + 256) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    boolean journal = (buffer.getInt(superblock + 92) & 4) != 0;
    boolean extents = (buffer.getInt(superblock + 96) & 0x2c0) != 0;
    found.add(
        new Signature(
            extents ? "ext4" : journal ? "ext3" : "ext2",
            "",
            superblock + 56,
            Confidence.MAGIC,
            label(bytes, superblock + 120, 16),
            uuid(bytes, superblock + 104)));
  }

  private static void addFat(List<Signature> found, byte[] bytes) {
    boolean fat32 = HeaderBytes.has(bytes, 82, ascii("FAT32   "));
    boolean fat16 = HeaderBytes.has(bytes, 54, ascii("FAT1"));
    if (!fat32 && !fat16) {
      return;
    }
    int serial = fat32 ? 67 : 39;
    int number = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(serial);
    found.add(
        new Signature(
            "vfat",
            "",
            fat32 ? 82 : 54,
            Confidence.MAGIC,
            label(bytes, serial + 4, 11),
            String.format("%04X-%04X", number >>> 16, number & 0xffff)));
  }

  private static void addFileVault(List<Signature> found, byte[] bytes) {
    byte[] zero = new byte[1];
    if (HeaderBytes.has(bytes, 88, ascii("CS"))
        && HeaderBytes.has(bytes, 8, new byte[] {1, 0})
        && HeaderBytes.has(bytes, 169, zero)) {
      found.add(new Signature("cs_fvault2", "", 88, Confidence.MAGIC, "", uuid(bytes, 304)));
    }
  }

  /** A boot sector has the same two bytes; then a partition's type and size must be there too. */
  private static void addMbr(List<Signature> found, byte[] bytes) {
    if (!HeaderBytes.has(bytes, 510, new byte[] {0x55, (byte) 0xaa})) {
      return;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    boolean partition = false;
    for (int entry = 446; entry < 510; entry += 16) {
      int boot = bytes[entry] & 0xff;
      if (boot != 0 && boot != 0x80) {
        return;
      }
      partition |= bytes[entry + 4] != 0 && buffer.getInt(entry + 12) != 0;
    }
    if (partition) {
      found.add(new Signature("dos", "", 510, Confidence.MAGIC, "", ""));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String label(byte[] bytes, int offset, int size) {
    if (offset < 0 || bytes.length < offset + size) {
      return "";
    }
    byte[] raw = HeaderBytes.text(bytes, offset, size).getBytes(StandardCharsets.ISO_8859_1);
    return VolumeException.printable(new String(raw, StandardCharsets.UTF_8)).strip();
  }

  private static String uuid(byte[] bytes, int offset) {
    if (offset < 0 || bytes.length < offset + UUID_SIZE) {
      return "";
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, UUID_SIZE);
    return new UUID(buffer.getLong(), buffer.getLong()).toString();
  }
}
