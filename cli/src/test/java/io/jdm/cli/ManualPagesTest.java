package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.Program;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** All that help tells is in the manual pages and in the completion. */
final class ManualPagesTest {
  @TempDir private Path directory;

  @Test
  void every_verb_has_a_page_with_its_options() throws IOException {
    check(ManualPages.model(), ManualPages.pages(), ManualPages.completion());
  }

  private static void check(CommandLine line, Map<String, String> pages, String completion) {
    String name = line.getCommandSpec().qualifiedName("-");
    assertThat(pages).containsKey(name);
    String page = pages.get(name).replace("\\-", "-");
    assertThat(page).contains(".SH NAME\n" + name + " - ", ".SH SYNOPSIS\n", ".SH EXIT STATUS\n");
    assertThat(line.getCommandSpec().usageMessage().description()).isNotEmpty();
    for (OptionSpec option : line.getCommandSpec().options()) {
      if (option.hidden()) { // Taken for a script's sake, without effect.
        assertThat(page).doesNotContain(option.longestName() + "\n");
        continue;
      }
      assertThat(page).contains(option.names());
      assertThat(completion).contains(option.names());
      assertThat(option.description()).as(option.longestName()).isNotEmpty();
    }
    line.getSubcommands()
        .forEach(
            (verb, below) -> {
              assertThat(page).contains(".B " + verb + "\n");
              assertThat(completion).contains(verb);
              check(below, pages, completion);
            });
  }

  @Test
  void pages_are_clean_man() throws IOException {
    ManualPages.main(new String[] {directory.toString()});
    Requirement.tool("groff");
    for (String name : ManualPages.pages().keySet()) {
      Path page = directory.resolve("man/man1/" + name + ".1");
      assertThat(Program.run("groff", "-man", "-Tutf8", "-ww", "-z", page)).isEmpty();
    }
  }

  @Test
  void bash_completes_verbs_and_options() throws IOException {
    ManualPages.main(new String[] {directory.toString()});
    Path file = directory.resolve("bash-completion/completions/jdm");
    assertThat(Files.readString(file)).doesNotContain("\r");
    Requirement.tool("bash");

    assertThat(complete(file, "jdm", "ben")).isEqualTo("bench\n");
    assertThat(complete(file, "jdm", "bench", "dev")).isEqualTo("device\n");
    assertThat(complete(file, "jdm", "bench", "dd", "--drop")).contains("--drop-caches");
  }

  private static String complete(Path file, String... words) throws IOException {
    String script =
        "compopt() { :; }; source "
            + file
            + "; COMP_WORDS=("
            + String.join(" ", words)
            + "); COMP_CWORD="
            + (words.length - 1)
            + "; _complete_jdm; echo ${COMPREPLY[@]}";
    return Program.run("bash", "-c", script);
  }
}
