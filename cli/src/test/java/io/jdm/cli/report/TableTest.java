package io.jdm.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

final class TableTest {
  @Test
  void words_stand_left_and_numbers_right_under_their_headings() {
    Table table = new Table().words("engine", "way").numbers("MB/s");
    table.row("gcrypt", "encrypt", "4385").row("jdk", "decrypt", "12");

    assertThat(table)
        .hasToString(
            """
            engine  way      MB/s
            gcrypt  encrypt  4385
            jdk     decrypt    12
            """);
  }

  @Test
  void missing_cells_leave_no_spaces_at_the_end_of_a_line() {
    Table table = new Table().words("a", "b").numbers("c");

    assertThat(table.row("only").toString()).isEqualTo("a     b  c\nonly\n");
  }

  @Test
  void more_cells_than_columns_are_an_error_of_the_caller() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Table().words("a").row("1", "2"));
  }
}
