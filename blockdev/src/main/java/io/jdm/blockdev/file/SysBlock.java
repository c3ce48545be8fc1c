package io.jdm.blockdev.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What Linux says about a block device in {@code /sys/dev/block/MAJOR:MINOR} (source:
 * Documentation/ABI/stable/sysfs-block). Before JDK 22 the size of a channel on a block device is
 * 0.
 *
 * @param directory of the device, or of the partition
 */
record SysBlock(Path directory) {
  private static final Path ROOT = Path.of("/sys/dev/block");

  /**
   * The entry of a device number.
   *
   * @param rdev as glibc holds it: 12 bits of the major number above 8 of the minor, then the rest
   */
  static SysBlock of(long rdev) {
    return of(ROOT, rdev);
  }

  static SysBlock of(Path root, long rdev) {
    long major = ((rdev >>> 8) & 0xfff) | ((rdev >>> 32) & ~0xfffL);
    long minor = (rdev & 0xff) | ((rdev >>> 12) & 0xffffff00L);
    return new SysBlock(root.resolve(major + ":" + minor));
  }

  /** The size in bytes; the file holds it in sectors whatever the block size. */
  long size() throws IOException {
    return Math.multiplyExact(number(directory.resolve("size")), 512L);
  }

  /** The logical block size in bytes. A partition has its disk's, one directory up. */
  int logicalBlockSize() throws IOException {
    try {
      return (int) number(directory.resolve("queue/logical_block_size"));
    } catch (NoSuchFileException e) {
      return (int) number(directory.toRealPath().resolve("../queue/logical_block_size"));
    }
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
