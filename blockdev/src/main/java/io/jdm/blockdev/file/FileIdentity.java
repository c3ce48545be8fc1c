package io.jdm.blockdev.file;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Which file a path names now: equal for all paths of one file.
 *
 * @param fileSystem the provider's instance
 * @param key the provider's file key (device and inode on POSIX), or the real path without one
 */
record FileIdentity(FileSystem fileSystem, Object key) {
  static FileIdentity of(Path path) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return new FileIdentity(path.getFileSystem(), key != null ? key : path.toRealPath());
  }
}
