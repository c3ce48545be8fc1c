package io.jdm.mapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The concise form (source: spec/dm-core.md section 4.3, dmsetup(8)). */
class DeviceDefinitionTest {
  private static List<DeviceDefinition> parse(String text) throws MapperException {
    return DeviceDefinition.parseConcise(text.getBytes(UTF_8));
  }

  private static String show(List<DeviceDefinition> devices) {
    return devices.stream()
        .map(
            d ->
                String.join("|", d.name(), d.uuid(), "" + d.minor(), d.readOnly() ? "ro" : "rw")
                    + "|"
                    + d.table().lines().stream()
                        .map(
                            l ->
                                l.start()
                                    + " "
                                    + l.length()
                                    + " "
                                    + l.type()
                                    + " "
                                    + new String(l.parameters(), UTF_8))
                        .collect(Collectors.joining("/")))
        .collect(Collectors.joining("\n"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '"',
      value = {
        "cx,,,rw,0 8 linear 7:1 8000~cx||-1|rw|0 8 linear 7:1 8000",
        "dev1,,,,0 100 linear 253:1 0,100 100 error;dev2,,,ro,0 1 error"
            + "~dev1||-1|rw|0 100 linear 253:1 0/100 100 error *dev2||-1|ro|0 1 error ",
        "a,U-1,5,ro,0 1 zero~a|U-1|5|ro|0 1 zero ",
        "a, U-1,  5, ro,  0 1 zero ;  b,,,,0 1 zero;~a|U-1|5|ro|0 1 zero *b||-1|rw|0 1 zero ",
        "a\\,b\\;c,,,,0 8 crypt xchacha12\\,aes-adiantum-plain64 - 0 /x\\;y 0"
            + "~a,b;c||-1|rw|0 8 crypt xchacha12,aes-adiantum-plain64 - 0 /x;y 0",
        "a\\\\b,,,,0 1 zero~a\\b||-1|rw|0 1 zero ",
        "a,,,,# nothing~a||-1|rw|",
      })
  void entriesAreTakenApart(String text, String expected) throws Exception {
    assertThat(show(parse(text)).trim())
        .isEqualTo(expected.replace(" *", " \n").replace("error *", "error \n").trim());
  }

  @Test
  void anEmptyTextHasNoDevices() throws Exception {
    assertThat(parse("")).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '~',
      value = {
        "a,b~Five comma-separated fields are required for each device",
        "a,,,rw;b,,,,0 1 zero~Five comma-separated fields are required for each device",
        "a,,,,~Incomplete entry: five comma-separated fields are required for each device",
        "a,,,,0 1 zero,~Incomplete entry: five comma-separated fields are required for each device",
        "a,,,,0 1 x\\;~Incomplete entry: five comma-separated fields are required for each device",
        "a,,,,0 1 zero\\~Backslash must be followed by another character at end of string.",
        "a,,,wo,0 1 zero~Invalid flags parameter 'wo' must be 'ro' or 'rw' or empty.",
        "a,,x,,0 1 zero~Invalid minor number 'x'.",
        "a,,,,0 1 zero,bad line~Invalid format on line 2 of table .",
      })
  void badEntriesAreRefusedWithTheWordsOfDmsetup(String text, String words) {
    MapperException e = catchThrowableOfType(MapperException.class, () -> parse(text));
    assertThat(e.toolMessage()).isEqualTo(words);
  }

  @Test
  void theErrorNamesEntryAndFieldButNoArguments() {
    MapperException e =
        catchThrowableOfType(
            MapperException.class,
            () -> parse("a,,,,0 8 crypt x 5ec4e7;b,,,wo,0 8 crypt x 5ec4e7"));
    assertThat(e.detail()).isEqualTo("entry 2 of the concise text, field 5 of 5");
    assertThat(e).hasMessageNotContaining("5ec4e7");
  }

  @Test
  void printingQuotesWhatParsingUnquotes() throws Exception {
    TableText table =
        TableText.of(
            new TableLine(0, 8, "crypt", "a\\ b,c;d\\\\e 0"), new TableLine(8, 8, "error", ""));
    DeviceDefinition device = new DeviceDefinition("n,a;m\\e", "u,u", 7, true, table);
    byte[] concise = device.toConcise();
    assertThat(new String(concise, UTF_8))
        .isEqualTo("n\\,a\\;m\\\\e,u\\,u,7,ro,0 8 crypt a\\\\ b\\,c\\;d\\\\\\\\e 0,8 8 error ");
    List<DeviceDefinition> back = parse(new String(concise, UTF_8));
    assertThat(show(back)).isEqualTo(show(List.of(device)));
    assertThat(device.toString()).doesNotContain("c;d");
    device.close();
    assertThat(table.lines().get(0).parameters()).containsOnly(0);
  }
}
