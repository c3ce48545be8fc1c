package io.jdm.blockdev.file;

import io.jdm.blockdev.Sectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What Linux says about a block device in {@code /sys/dev/block/MAJOR:MINOR} (source:
 * Documentation/ABI/stable/sysfs-block). Java before 22 gives a channel on one the size 0.
 *
 * @param directory of the device, or of the partition
 */
record SysBlock(Path directory) {
  private static final Path ROOT = Path.of("/sys/dev/block");

  /** The bits of st_mode that hold the type, and its value for a block device (stat(2)). */
  private static final int S_IFMT = 0170000;

  private static final int S_IFBLK = 0060000;

  /** Whether a path names a block device; false where the provider cannot tell. */
  static boolean isBlockDevice(Path path) throws IOException {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix")
        && ((int) Files.getAttribute(path, "unix:mode") & S_IFMT) == S_IFBLK;
  }

  /** The entry of the block device that a path names. */
  static SysBlock of(Path path) throws IOException {
    return of(ROOT, (long) Files.getAttribute(path, "unix:rdev"));
  }

  /**
   * The entry of a device number.
   *
   * @param rdev {@code st_rdev} as glibc holds it: the low 12 bits of the major number above the
   *     low 8 of the minor, the others of both above that
   */
  static SysBlock of(Path root, long rdev) {
    long major = ((rdev >>> 8) & 0xfff) | ((rdev >>> 32) & ~0xfffL);
    long minor = (rdev & 0xff) | ((rdev >>> 12) & 0xffffff00L);
    return new SysBlock(root.resolve(major + ":" + minor));
  }

  /** The size in bytes; the kernel gives it in sectors whatever the block size. */
  long size() throws IOException {
    long sectors = number(directory.resolve("size"));
    if (sectors < 0 || sectors > Long.MAX_VALUE >> Sectors.SHIFT) {
      throw new IOException(directory + " says " + sectors + " sectors, more than a device has");
    }
    return Sectors.toBytes(sectors);
  }

  /** The logical block size in bytes. A partition has its disk's, one directory up. */
  int logicalBlockSize() throws IOException {
    Path real = directory.toRealPath();
    long bytes;
    try {
      bytes = number(real.resolve("queue/logical_block_size"));
    } catch (NoSuchFileException e) {
      bytes = number(real.resolveSibling("queue/logical_block_size"));
    }
    if (bytes < 1 || bytes > 1 << 30 || Long.bitCount(bytes) != 1) {
      throw new IOException(directory + " says blocks of " + bytes + " bytes, not a power of two");
    }
    return (int) bytes;
  }

  private static long number(Path file) throws IOException {
    String text = Files.readString(file).strip();
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IOException(file + " holds '" + text + "', expected a number", e);
    }
  }
}
