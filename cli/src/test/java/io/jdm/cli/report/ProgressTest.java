package io.jdm.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ProgressTest {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  @Test
  void on_a_terminal_a_line_is_written_over_the_last_and_cleared_at_the_end() {
    Progress progress = new Progress(err, true);
    progress.show("10 of 20");
    progress.show("done");
    progress.clear();

    assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("\r10 of 20\rdone    \r    \r");
  }

  @Test
  void elsewhere_nothing_is_said_about_what_is_over_soon() {
    Progress progress = new Progress(err, false);
    progress.show("warming up");
    progress.clear();

    assertThat(bytes.size()).isZero();
  }

  @Test
  void a_stream_that_is_not_standard_error_is_no_terminal() {
    Progress progress = Progress.on(err);
    progress.show("warming up");

    assertThat(bytes.size()).isZero();
  }
}
