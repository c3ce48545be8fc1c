package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.Requirement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code jdm} as a process of its own. */
final class MainTest {
  /** Those above 128 look like signals, and are none here. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 127, 200, 255})
  void leaves_with_the_exit_code_of_the_command_that_it_served(int code) throws Exception {
    Requirement.tool("sh");
    Process jdm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.jdm.cli.Main",
                "serve",
                "--run",
                "exit " + code,
                "mem:1M")
            .redirectErrorStream(true)
            .start();
    String said = new String(jdm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(jdm.waitFor()).as(said).isEqualTo(code);
    assertThat(said).isEmpty();
  }
}
