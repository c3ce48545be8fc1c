package io.jdm.cli.mount;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The programs of others that mounting is made of, and where to get them. */
enum Tool {
  /** Shows an NBD export as a file. */
  NBDFUSE("libnbd-bin", "libnbd"),
  /** Ends what FUSE has mounted. */
  FUSERMOUNT3("fuse3", "fuse3"),
  /** Mounts ext2, ext3 and ext4 without root. */
  FUSE2FS("fuse2fs", "e2fsprogs"),
  /** Keeps the server from ending with the terminal. */
  SETSID("util-linux", "util-linux"),
  /** Mounts what the kernel knows, through a loop device. */
  MOUNT("mount", "util-linux"),
  /** Ends it. */
  UMOUNT("mount", "util-linux");

  private final String debian;
  private final String fedora;

  Tool(String debian, String fedora) {
    this.debian = debian;
    this.fedora = fedora;
  }

  private String program() {
    return name().toLowerCase(Locale.ROOT);
  }

  private Optional<Path> find() {
    String path = System.getenv("PATH");
    for (String folder : path == null ? new String[0] : path.split(":")) {
      Path candidate = Path.of(folder.isEmpty() ? "." : folder, program());
      if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
        return Optional.of(candidate.toAbsolutePath());
      }
    }
    return Optional.empty();
  }

  /**
   * Says what is missing, all of it at once.
   *
   * @throws IOException naming the programs and the packages that have them
   */
  static void require(List<Tool> tools) throws IOException {
    List<String> missing = new ArrayList<>();
    for (Tool tool : tools) {
      if (tool.find().isEmpty()) {
        missing.add(
            tool.program()
                + " is not on PATH: it is in the package "
                + tool.debian
                + " of Debian, "
                + tool.fedora
                + " of Fedora");
      }
    }
    if (!missing.isEmpty()) {
      throw new IOException(String.join("\njdm: ", missing));
    }
  }

  /** The command line that runs this. */
  List<String> command(Object... arguments) throws IOException {
    require(List.of(this));
    List<String> command = new ArrayList<>();
    command.add(find().orElseThrow().toString());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }

  /**
   * Runs it to its end.
   *
   * @throws IOException with what it printed, if it fails
   */
  void run(Object... arguments) throws IOException {
    Process process = new ProcessBuilder(command(arguments)).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
    try {
      if (process.waitFor() != 0) {
        throw new IOException(
            output.isBlank() ? program() + " failed" : program() + ": " + output.strip());
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + program() + " was running", e);
    }
  }
}
