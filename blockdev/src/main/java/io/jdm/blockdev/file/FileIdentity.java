package io.jdm.blockdev.file;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;

/**
 * Which file a path names now, whatever the path: equal for two paths of one file.
 *
 * @param fileSystem the provider's instance
 * @param key the provider's file key (device and inode on POSIX), or the real path without one
 */
record FileIdentity(FileSystem fileSystem, Object key) {
  /** The bits of st_mode that hold the type, and the value of a block device (stat(2)). */
  private static final int S_IFMT = 0170000;

  private static final int S_IFBLK = 0060000;

  static FileIdentity of(Path path) throws IOException {
    Object key = attributes(path).fileKey();
    return new FileIdentity(path.getFileSystem(), key != null ? key : path.toRealPath());
  }

  static BasicFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class);
  }

  /** Whether a path that is neither file nor directory is a block device. */
  static boolean isBlockDevice(Path path) throws IOException {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix")
        && ((int) Files.getAttribute(path, "unix:mode") & S_IFMT) == S_IFBLK;
  }

  /** The device number of a block device, as {@code st_rdev} holds it. */
  static long deviceNumber(Path path) throws IOException {
    Map<String, Object> attributes = Files.readAttributes(path, "unix:rdev");
    return ((Number) attributes.get("rdev")).longValue();
  }
}
