package io.jdm.cli.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The system's {@code dd}, if it is GNU's. */
final class GnuDd {
  private final Program program;

  private GnuDd(Program program) {
    this.program = program;
  }

  /** If it is here. */
  static Optional<GnuDd> find() throws IOException {
    Optional<Program> program = Program.find("dd");
    if (program.isPresent()
        && program.get().run(List.of("--version")).text().contains("(coreutils)")) {
      return Optional.of(new GnuDd(program.get()));
    }
    return Optional.empty();
  }

  /** Asks the kernel to forget the cached pages of a file; false if it will not. */
  boolean dropCache(Path file) throws IOException {
    return program.run(List.of("if=" + file, "iflag=nocache", "count=0")).exitCode() == 0;
  }

  /**
   * Runs it.
   *
   * @throws IOException with what it says, if it fails
   */
  DdRun run(List<String> operands) throws IOException {
    Program.Result result = program.run(operands);
    if (result.exitCode() != 0) {
      throw new IOException(program.path() + " failed: " + result.text().strip());
    }
    return DdRun.of(result.text(), result.nanos(), result.cpu());
  }
}
