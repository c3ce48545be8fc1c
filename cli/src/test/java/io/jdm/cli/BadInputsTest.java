package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.file.FileDevice;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is wrong is refused with exactly these words and this exit code: {@code bad-inputs.txt} has
 * one case a paragraph. Where it says so, GNU dd is given the same and must answer the same.
 */
@Timeout(60)
final class BadInputsTest {
  private static final String AS_GNU_DD = ", as GNU dd";
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  @TempDir private Path directory;
  private BlockDevice locked;

  /** A command line, and what comes of it: "exit 1" and standard error. */
  private record BadInput(String command, boolean asGnuDd, String outcome) {
    static BadInput parse(String paragraph) {
      String[] lines = paragraph.split("\n", 3);
      return new BadInput(
          lines[0].substring("$ jdm ".length()),
          lines[1].endsWith(AS_GNU_DD),
          lines[1].replace(AS_GNU_DD, "") + "\n" + lines[2].stripTrailing() + "\n");
    }

    List<String> words(Path directory) {
      List<String> words = new ArrayList<>();
      Matcher matcher = WORD.matcher(command);
      while (matcher.find()) {
        String word = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
        words.add(word.replace("DIR", directory.toString()));
      }
      return words;
    }

    @Override
    public String toString() {
      return command;
    }
  }

  static List<BadInput> inputs() throws IOException {
    try (InputStream in = BadInputsTest.class.getResourceAsStream("bad-inputs.txt")) {
      return Pattern.compile("\n{2,}")
          .splitAsStream(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .filter(paragraph -> paragraph.startsWith("$ "))
          .map(BadInput::parse)
          .toList();
    }
  }

  @BeforeEach
  void makeFiles() throws IOException {
    byte[] key = new byte[64];
    IntStream.range(0, key.length).forEach(i -> key[i] = (byte) i);
    Files.write(directory.resolve("key"), key);
    Files.write(directory.resolve("short.key"), new byte[10]);
    Files.write(directory.resolve("empty.key"), new byte[0]);
    Files.write(directory.resolve("huge.key"), new byte[5000]);
    Files.write(directory.resolve("disk.img"), new byte[1 << 20]);
    Files.write(directory.resolve("odd.img"), new byte[1000]);
    Files.write(directory.resolve("locked.img"), new byte[4096]);
    Files.writeString(directory.resolve("bad.table"), "c,,,rw,0 8 linear\n");
    Files.createDirectory(directory.resolve("folder"));
    locked = FileDevice.open(directory.resolve("locked.img"), true);
  }

  @AfterEach
  void unlock() throws IOException {
    locked.close();
  }

  @Test
  void there_are_many() throws IOException {
    assertThat(inputs()).hasSizeGreaterThan(100);
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void is_refused_with_the_right_words_and_exit_code(BadInput input) {
    InProcess jdm = InProcess.jdm(input.words(directory));

    assertThat(outcome(jdm.code(), jdm.err())).isEqualTo(input.outcome);
    assertThat(jdm.text()).isEmpty();
    assertThat(directory.resolve("missing")).doesNotExist();
  }

  static List<BadInput> inputsOfGnuDd() throws IOException {
    return inputs().stream().filter(BadInput::asGnuDd).toList();
  }

  @ParameterizedTest
  @MethodSource("inputsOfGnuDd")
  void is_refused_by_gnu_dd_in_the_same_way(BadInput input) throws Exception {
    Requirement.tool("dd");
    ProcessBuilder builder =
        new ProcessBuilder(input.words(directory)).redirectInput(ProcessBuilder.Redirect.PIPE);
    builder.environment().put("LC_ALL", "C");
    Process dd = builder.start();
    dd.getOutputStream().close();
    String err = new String(dd.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(dd.waitFor(1, TimeUnit.MINUTES)).isTrue();

    assertThat(outcome(dd.exitValue(), err)).isEqualTo(input.outcome);
  }

  private String outcome(int code, String err) {
    return "exit "
        + code
        + "\n"
        + err.replace(directory.toString(), "DIR")
            .replaceAll("jdm-bench-[0-9]+", "jdm-bench-N")
            .replaceAll("copied, [-+.0-9e]+ s, [0-9.]+ [kMGT]?B/s", "copied, T s, R");
  }
}
