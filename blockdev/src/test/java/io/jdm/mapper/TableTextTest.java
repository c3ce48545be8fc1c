package io.jdm.mapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableTextTest {
  private static String show(TableText table) {
    StringBuilder text = new StringBuilder();
    for (TableLine line : table.lines()) {
      text.append(Long.toUnsignedString(line.start())).append('|');
      text.append(Long.toUnsignedString(line.length())).append('|');
      text.append(line.type()).append('|');
      text.append(new String(line.parameters(), UTF_8)).append('\n');
    }
    return text.toString();
  }

  private static String parsed(String text) throws MapperException {
    return show(TableText.parse(text));
  }

  @Test
  void severalLinesWithCommentsAndEmptyOnes() throws Exception {
    assertThat(
            parsed("# comment line\n\n  0 1024 linear 7:1 4096  \n\t1024 8 error # the rest\n#x"))
        .isEqualTo("0|1024|linear|7:1 4096\n1024|8|error|\n");
  }

  @Test
  void aQuotedHashIsNoComment() throws Exception {
    assertThat(parsed("0 8 linear /a\\#b 0 # c")).isEqualTo("0|8|linear|/a\\#b 0 \n");
    assertThat(parsed("0 8 linear /a\\\\# 0")).isEqualTo("0|8|linear|/a\\\\\n");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '~',
      value = {
        "0 -5 linear x~0|18446744073709551611|linear|x",
        "+0 +8 linear x~0|8|linear|x",
        "-1 8 zero~18446744073709551615|8|zero|",
        "99999999999999999999 8 zero~18446744073709551615|8|zero|",
        "18446744073709551615 18446744073709551616 zero~18446744073709551615|18446744073709551615|zero|",
        "0 8zero~0|8|zero|",
        "0-8 zero~0|18446744073709551608|zero|",
        "0\t8\tlinear\ta  b~0|8|linear|a  b",
      })
  void numbersAreReadAsScanfDoes(String text, String expected) throws Exception {
    assertThat(parsed(text)).isEqualTo(expected + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x 8 linear /dev/loop1 0", "0 8", "0", "0 x linear", "0 8 ", "- 8 zero"})
  void otherFormsAreRefusedWithTheLineNumber(String line) {
    MapperException e = catchThrowableOfType(MapperException.class, () -> TableText.parse(line));
    assertThat(e.toolMessage()).isEqualTo("Invalid format on line 1 of table .");
    e =
        catchThrowableOfType(
            MapperException.class,
            () -> TableText.parse(("0 8 zero\n\n" + line).getBytes(UTF_8), "on stdin"));
    assertThat(e.toolMessage()).isEqualTo("Invalid format on line 3 of table on stdin.");
    assertThat(e.kernelLog()).isEmpty();
    assertThat(e.explanation()).isEqualTo(e.detail()).isNotEmpty();
  }

  @Test
  void aTypeNameHasAtMost15Characters() throws Exception {
    assertThat(parsed("0 8 abcdefghijklmno")).isEqualTo("0|8|abcdefghijklmno|\n");
    MapperException e =
        catchThrowableOfType(MapperException.class, () -> TableText.parse("0 8 abcdefghijklmnop"));
    assertThat(e.toolMessage()).isEqualTo("Target type name abcdefghijklmnop is too long.");
  }

  @Test
  void anEmptyTextIsAnEmptyTable() throws Exception {
    assertThat(TableText.parse("").isEmpty()).isTrue();
    assertThat(TableText.parse("\n# nothing\n").isEmpty()).isTrue();
  }

  @Test
  void keysAreWipedOnCloseAndNeverShown() throws Exception {
    byte[] text = "0 8 crypt aes-xts-plain64 5ec4e7 0 x 0".getBytes(UTF_8);
    TableText table = TableText.parse(text, "");
    byte[] parameters = table.lines().get(0).parameters();
    assertThat(table.lines().get(0)).hasToString("0 8 crypt ...");
    assertThat(table.toString()).doesNotContain("5ec4e7");
    table.close();
    assertThat(parameters).containsOnly(0);
    assertThat(text).as("the caller's text is the caller's").asString(UTF_8).contains("5ec4e7");
  }
}
