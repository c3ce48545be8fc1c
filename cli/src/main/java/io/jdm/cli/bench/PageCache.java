package io.jdm.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The system's cache of file contents, which must be emptied between writing and reading if the
 * medium is to be read. Java cannot do that; GNU dd can ({@code iflag=nocache}), and root can for
 * the whole system.
 */
final class PageCache {
  private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");
  private static final String PAGES_DENTRIES_AND_INODES = "3";

  private PageCache() {}

  /**
   * Drops what the cache holds of a file whose data was flushed, or says why it stays.
   *
   * @param whole whether the whole system's caches may be emptied, which slows everybody
   * @return what happened, as a clause for people
   * @throws IOException if the system's caches were to be emptied and cannot
   */
  static String drop(Path file, boolean whole) throws IOException {
    if (Files.getFileStore(file).type().equals("tmpfs")) {
      return "kept: the file is in memory (tmpfs)";
    }
    if (whole) {
      Files.writeString(DROP_CACHES, PAGES_DENTRIES_AND_INODES);
      return "dropped (" + DROP_CACHES + ")";
    }
    Optional<GnuDd> dd = GnuDd.find();
    if (dd.isPresent() && dd.get().dropCache(file)) {
      return "dropped (dd iflag=nocache)";
    }
    return "not dropped, nothing here can without --drop-caches: reads come from memory";
  }
}
