package io.jdm.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real program that a test runs, or that a test is skipped without. Both its outputs are gathered
 * together.
 */
public final class Program implements AutoCloseable {
  private static final long SECONDS = 60;

  private final List<String> command;
  private final Process process;
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final Thread reader;

  private Program(List<String> command) throws IOException {
    this.command = command;
    this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    this.reader = new Thread(this::gather, "output of " + command.get(0));
    reader.setDaemon(true);
    reader.start();
  }

  private void gather() {
    try (InputStream in = process.getInputStream()) {
      byte[] buffer = new byte[4096];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        synchronized (output) {
          output.write(buffer, 0, n);
        }
      }
    } catch (IOException e) {
      // The process was destroyed.
    }
  }

  /** Starts a program that runs until it is closed. */
  public static Program start(String name, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Requirement.tool(name).toString());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new Program(command);
  }

  /** Runs a program to its end, which must be a success. */
  public static String run(String name, Object... arguments) throws IOException {
    try (Program program = start(name, arguments)) {
      int exit = program.exitCode();
      assertThat(exit).as("%s: %s", program.command, program.output()).isZero();
      return program.output();
    }
  }

  /** Runs a program to its end, which must be a failure. */
  public static String runFailing(String name, Object... arguments) throws IOException {
    try (Program program = start(name, arguments)) {
      int exit = program.exitCode();
      assertThat(exit).as("%s: %s", program.command, program.output()).isNotZero();
      return program.output();
    }
  }

  /** Waits for the end. */
  public int exitCode() throws IOException {
    try {
      assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS))
          .as("%s ends within %d s: %s", command, SECONDS, output())
          .isTrue();
      reader.join();
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits for the end, whether a success or not; all that it printed. */
  public String outputAtEnd() throws IOException {
    try (this) {
      exitCode();
      return output();
    }
  }

  /** What it printed so far. */
  public String output() {
    synchronized (output) {
      return output.toString(StandardCharsets.UTF_8);
    }
  }

  public boolean isRunning() {
    return process.isAlive();
  }

  /** Kills it, if it runs, and waits for its end. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
