package io.jdm.mapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.Errno;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
  private static List<String> words(String text) throws TargetException {
    Arguments arguments = Arguments.split(text);
    List<String> words = new ArrayList<>();
    while (arguments.remaining() > 0) {
      words.add(arguments.next("word", "missing"));
    }
    assertThat(words).hasSize(arguments.count());
    return words;
  }

  @Test
  void whitespaceSeparatesAndABackslashQuotes() throws Exception {
    assertThat(words("")).isEmpty();
    assertThat(words(" \t\n")).isEmpty();
    assertThat(words(" a  b\tc\r\n")).containsExactly("a", "b", "c");
    assertThat(words("a\\ b \\c \\\\ d\\")).containsExactly("a b", "c", "\\", "d\\");
    assertThat(words("a b c d e f g h i j k")).hasSize(11);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"plain", "with space", "tab\t", "back\\slash", "#comment", "a#b", "\u00e9 \u4e16"})
  void quotingAWordKeepsItOneWordInATable(String word) throws Exception {
    assertThat(words("x " + Arguments.quote(word) + " y")).containsExactly("x", word, "y");
    TableLine line = TableText.parse("0 8 linear " + Arguments.quote(word) + " 0").lines().get(0);
    assertThat(words(new String(line.parameters(), UTF_8))).containsExactly(word, "0");
  }

  @Test
  void numbersAreUnsignedDecimals() throws Exception {
    assertThat(Arguments.split("9223372036854775807").nextNumber("n", "bad"))
        .isEqualTo(Long.MAX_VALUE);
    assertThat(Arguments.split("007").nextNumber("n", "bad", 7, 7)).isEqualTo(7);
    for (String bad :
        new String[] {"9223372036854775808", "-1", "+1", "0x1", "1k", "x", "\u0661"}) {
      TargetException e =
          catchThrowableOfType(
              TargetException.class, () -> Arguments.split(bad).nextNumber("offset", "Invalid"));
      assertThat(e.errno()).isEqualTo(Errno.EINVAL);
      assertThat(e.reason()).isEqualTo("Invalid");
      assertThat(e.detail())
          .isEqualTo(
              "offset (argument 1) is '%s', expected a decimal number from 0 to"
                  + " 9223372036854775807",
              bad);
    }
  }

  @Test
  void aMissingArgumentIsNamedWithItsPosition() throws Exception {
    Arguments arguments = Arguments.split("a");
    arguments.next("first", "");
    TargetException e =
        catchThrowableOfType(
            TargetException.class, () -> arguments.next("second", "Not enough arguments"));
    assertThat(e).hasMessage("Not enough arguments: second (argument 2) is missing");
  }

  @Test
  void whatCouldBeAKeyInTheWrongPlaceIsNotShown() {
    String key = "000102030405060708090a0b0c0d0e0f";
    TargetException e =
        catchThrowableOfType(
            TargetException.class, () -> Arguments.split(key).nextNumber("iv_offset", "Invalid"));
    assertThat(e).hasMessageContaining("a word of 32 characters").hasMessageNotContaining("0c0d");
  }

  @Test
  void wordsAreWipedOnClose() throws Exception {
    Arguments arguments = Arguments.split("secret");
    byte[] copy = arguments.nextSecret("key", "");
    assertThat(new String(copy, UTF_8)).isEqualTo("secret");
    Arguments other = Arguments.split("secret");
    other.close();
    assertThat(other.nextSecret("key", "")).containsOnly(0);
  }
}
