package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The frame around the verbs: help, version, and what is wrong before a verb begins. */
final class JdmTest {
  @ParameterizedTest
  @ValueSource(strings = {"-h", "--help", "help"})
  void help_lists_every_verb_on_standard_output(String word) {
    InProcess jdm = InProcess.jdm(word);
    assertThat(jdm.code()).isZero();
    assertThat(jdm.err()).isEmpty();
    for (Verb verb : Verb.ALL) {
      assertThat(jdm.text()).contains("  " + verb.name() + " ");
    }
  }

  @Test
  void help_explains_one_verb() {
    InProcess jdm = InProcess.jdm("help", "dd");
    assertThat(jdm.code()).isZero();
    assertThat(jdm.text()).startsWith("Usage: jdm dd").contains("ibs=BYTES");
    assertThat(InProcess.jdm("dd", "--help").text()).startsWith("Usage: jdm dd");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-V", "--version", "version"})
  void version_is_that_of_the_build(String word) {
    InProcess jdm = InProcess.jdm(word);
    assertThat(jdm.code()).isZero();
    assertThat(jdm.text()).matches("(?s)jdm \\d+\\.\\d+\\.\\d+\\S*\\RJava .*\\R");
  }

  @Test
  void without_a_verb_the_help_goes_to_standard_error() {
    InProcess jdm = InProcess.jdm();
    assertThat(jdm.code()).isEqualTo(1);
    assertThat(jdm.text()).isEmpty();
    assertThat(jdm.err()).startsWith("Usage: jdm");
  }
}
