package io.jdm.blockdev.file;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A second JVM that opens and closes a file as a {@link FileDevice}, one command a line: for tests
 * of locks, which are between processes.
 */
final class OtherProcess implements AutoCloseable {
  private final Process process;
  private final PrintStream commands;
  private final BufferedReader answers;

  OtherProcess() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:TieredStopAtLevel=1",
                OtherProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Opens the file there; the answer is "open", or the message of the error. */
  String open(Path file, boolean writable) throws IOException {
    return ask((writable ? "write " : "read ") + file);
  }

  /** Closes what was opened there. */
  String closeFile() throws IOException {
    return ask("close");
  }

  private String ask(String command) throws IOException {
    commands.println(command);
    return answers.readLine();
  }

  @Override
  public void close() {
    commands.close();
    process.onExit().join();
  }

  /** What runs there. */
  public static void main(String[] args) throws IOException {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    FileDevice device = null;
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String answer;
      try {
        if (line.equals("close")) {
          device.close();
          answer = "closed";
        } else {
          String[] words = line.split(" ", 2);
          device = FileDevice.open(Path.of(words[1]), words[0].equals("write"));
          answer = "open";
        }
      } catch (IOException e) {
        answer = e.getMessage();
      }
      System.out.println(answer);
    }
  }
}
