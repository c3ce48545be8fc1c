package io.jdm.cli.dd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jdm.testing.Requirement;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code jdm dd} as a process of its own that gets signals, or whose reader goes away. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DdSignalsTest {
  private static final String STATISTICS =
      "\\d+\\+\\d+ records in\n\\d+\\+\\d+ records out\n\\d+ bytes.* copied, .* s, .*B/s\n";

  @TempDir private Path directory;

  @BeforeEach
  void shellIsHere() {
    Requirement.tool("sh");
    assumeTrue(OS.LINUX.isCurrentOs(), "only GNU env resets signals");
  }

  @AfterEach
  void nothingStays() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  private static List<String> jdm(String... args) {
    List<String> command =
        new ArrayList<>(
            List.of(
                // What runs the tests may have told all its children to ignore them.
                "env",
                "--default-signal=HUP,INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "io.jdm.cli.Main"));
    command.addAll(Arrays.asList(args));
    return command;
  }

  private static void signal(Process process, String name) throws Exception {
    Process kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  /** Reads until dd tells how far it is: then it handles signals. */
  private static void awaitProgress(BufferedReader err) throws IOException {
    StringBuilder text = new StringBuilder();
    while (text.indexOf("B/s") < 0) {
      text.append((char) err.read());
    }
  }

  private static String rest(BufferedReader reader) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int c = reader.read(); c >= 0; c = reader.read()) {
      text.append((char) c);
    }
    return text.toString();
  }

  private static int exitCode(Process process) throws InterruptedException {
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }

  @ParameterizedTest
  @CsvSource({"INT, 130, true", "TERM, 143, false", "HUP, 129, false"})
  void a_signal_ends_the_copy_and_closes_what_it_wrote(String name, int code, boolean talks)
      throws Exception {
    Path image = Files.write(directory.resolve("disk.img"), new byte[1 << 20]);
    Process dd =
        new ProcessBuilder(
                jdm(
                    "--map",
                    "c,,,rw,0 2048 linear " + image + " 0",
                    "dd",
                    "of=/dev/mapper/c",
                    "bs=512",
                    "status=progress"))
            .start();
    try (BufferedReader err = dd.errorReader(StandardCharsets.UTF_8)) {
      byte[] block = new byte[512];
      Arrays.fill(block, (byte) 'x');
      // A signal can come only when it copies: when it has taken more than the pipe can hold.
      for (int i = 0; i < 2 * 128; i++) {
        dd.getOutputStream().write(block);
      }
      dd.getOutputStream().flush();
      signal(dd, name);
      String said = rest(err);

      assertThat(exitCode(dd)).isEqualTo(code);
      assertThat(said.replaceAll("(?s)^.*\r[^\n]*\n", "")).matches(talks ? STATISTICS : "");
    }
    assertThat(Files.readAllBytes(image))
        .startsWith("xxxxxxxx".getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void its_parent_sees_a_process_that_a_signal_ended() throws Exception {
    Requirement.tool("python3");
    String parent =
        """
        import signal, subprocess, sys
        child = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE)
        while b"B/s" not in child.stderr.read1(): pass
        child.send_signal(signal.SIGINT)
        child.stderr.read()
        print(child.wait())
        """;
    List<String> command = new ArrayList<>(List.of("python3", "-c", parent));
    command.addAll(jdm("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "status=progress"));
    Process python = new ProcessBuilder(command).start();

    assertThat(new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isEqualTo("-2\n");
    assertThat(exitCode(python)).isZero();
  }

  @Test
  void usr1_prints_statistics_and_the_copy_goes_on() throws Exception {
    Process dd =
        new ProcessBuilder(jdm("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "status=progress"))
            .start();
    try (BufferedReader err = dd.errorReader(StandardCharsets.UTF_8)) {
      awaitProgress(err);
      signal(dd, "USR1");
      StringBuilder text = new StringBuilder();
      while (text.indexOf("records out") < 0) {
        text.append((char) err.read());
      }
      awaitProgress(err); // The statistics' own last line.
      awaitProgress(err);
      signal(dd, "INT");
      assertThat(rest(err)).containsPattern(STATISTICS);
      assertThat(exitCode(dd)).isEqualTo(130);
    }
  }

  @Test
  void ends_quietly_when_nobody_reads() throws Exception {
    Path err = directory.resolve("err");
    Process dd =
        new ProcessBuilder(jdm("dd", "if=/dev/zero", "bs=1k")).redirectError(err.toFile()).start();
    assertThat(dd.getInputStream().readNBytes(10)).hasSize(10);
    dd.getInputStream().close();

    assertThat(exitCode(dd)).isEqualTo(141);
    assertThat(err).isEmptyFile();
  }
}
