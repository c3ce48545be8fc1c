package io.jdm.cli.bench;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A program of the system that does what we do, to be measured in the same run: a peer. It speaks
 * English whatever the locale.
 */
record Program(Path path) {
  /** The program of this name, if it is on PATH. */
  static Optional<Program> find(String name) {
    String path = System.getenv().getOrDefault("PATH", "");
    for (String dir : path.split(File.pathSeparator)) {
      Path file = Path.of(dir, name);
      if (Files.isRegularFile(file) && Files.isExecutable(file)) {
        return Optional.of(new Program(file));
      }
    }
    return Optional.empty();
  }

  /**
   * What it printed, standard output and error together.
   *
   * @param nanos from start to end
   * @param cpu what it used
   */
  record Result(int exitCode, String text, long nanos, CpuTimes cpu) {}

  /** Runs it to its end with an empty standard input. */
  Result run(List<String> arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(path.toString());
    builder.command().addAll(arguments);
    builder.environment().put("LC_ALL", "C");
    builder.redirectErrorStream(true);
    CpuTimes before = CpuTimes.ofChildren();
    long start = System.nanoTime();
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
      int exitCode = process.waitFor();
      return new Result(
          exitCode, text, System.nanoTime() - start, CpuTimes.ofChildren().since(before));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(path + " was interrupted", e);
    } finally {
      process.destroy();
    }
  }
}
