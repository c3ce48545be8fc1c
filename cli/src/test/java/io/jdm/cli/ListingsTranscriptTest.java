package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The listings of dmsetup on a real kernel, from the transcript's section "list". */
class ListingsTranscriptTest {
  private static final Pattern BLOCK =
      Pattern.compile(
          "```\n\\$ dmsetup ((?:ls|info|status|table|deps)[^;\n]*)\n(?:--- stdout\n(.*?))??"
              + "(?:--- stderr\n(.*?))??--- exit (\\d+)\n",
          Pattern.DOTALL);

  /** What is not the same, and why. */
  private static final Set<String> DIFFERENT =
      Set.of(
          "ls --exec echo", // There are no nodes that a command could be given.
          "info -c -o help", // It lists the fields that jdm has.
          "info -c -o all c1"); // Of this the transcript has no output.

  @TempDir Path dir;
  private String loop0;
  private String loop1;
  private String map;

  record Case(String command, String out, String err, int code) {
    @Override
    public String toString() {
      return command;
    }
  }

  static Stream<Case> cases() throws IOException {
    String text = Files.readString(SharedFolder.file("oracle/dmsetup-transcript.md"));
    String list = text.substring(text.indexOf("\n## list\n"), text.indexOf("\n## suspend"));
    List<Case> cases = new ArrayList<>();
    for (Matcher m = BLOCK.matcher(list); m.find(); ) {
      if (!DIFFERENT.contains(m.group(1))) {
        String out = m.group(2) == null ? "" : m.group(2);
        String err = m.group(3) == null ? "" : m.group(3);
        cases.add(new Case(m.group(1), out, err, Integer.parseInt(m.group(4))));
      }
    }
    return cases.stream();
  }

  @BeforeEach
  void theDevicesOfTheTranscript() throws IOException {
    loop0 = disk("loop0");
    loop1 = disk("loop1");
    String key =
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
            + "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";
    map =
        String.join(
            ";",
            "c0,,0,rw,0 8192 crypt aes-xts-plain64 " + key + " 0 " + loop0 + " 0",
            "c1,CRYPT-TEST-1,1,rw,0 4096 crypt aes-cbc-essiv:sha256 "
                + key.substring(0, 32)
                + " 5 "
                + loop1
                + " 16 1 allow_discards",
            "multi,,2,rw,0 2048 linear "
                + loop1
                + " 4096,2048 1024 crypt aes-xts-plain64 "
                + key
                + " 2048 "
                + loop1
                + " 6144",
            "fromfile,,3,rw,0 1024 linear " + loop1 + " 4096",
            "ro1,,4,ro,0 8 linear " + loop1 + " 8000");
  }

  private String disk(String name) throws IOException {
    Path file = dir.toRealPath().resolve(name);
    try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
      disk.setLength(4 << 20);
    }
    return file.toString();
  }

  private InProcess jdm(String command) {
    List<String> args = new ArrayList<>(List.of("--map", map));
    args.addAll(Arrays.asList(command.split(" ")));
    return InProcess.jdm(args);
  }

  /** Our output with the kernel's numbers of the two disks. */
  private String numbered(String text) {
    return text.replace(loop0, "7:0").replace(loop1, "7:1");
  }

  private static String withoutOurLines(String err) {
    return err.lines()
        .filter(line -> !line.startsWith("jdm: "))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theSameAnswerAsOnAKernel(Case c) {
    InProcess jdm = jdm(c.command());
    String expected =
        c.out().replace("(7, ", "(7:").replace("(loop0)", "(7:0)").replace("(loop1)", "(7:1)");
    assertThat(numbered(jdm.text())).isEqualTo(expected);
    assertThat(withoutOurLines(jdm.err())).isEqualTo(c.err());
    assertThat(jdm.code()).isEqualTo(c.code());
  }

  @Test
  void theTranscriptIsRead() throws IOException {
    assertThat(cases()).hasSizeGreaterThan(35);
  }

  @Test
  void aTreeShowsWhatLiesOnWhat() {
    String stack =
        "a,,0,rw,0 8 linear " + loop0 + " 0;b,,1,rw,0 8 linear 253:0 0,8 8 linear " + loop1 + " 0";
    assertThat(numbered(InProcess.jdm("--map", stack, "ls", "--tree").text()))
        .isEqualTo("b (253:1)\n |- (7:1)\n `-a (253:0)\n    `- (7:0)\n");
    assertThat(numbered(InProcess.jdm("--map", stack, "ls", "--tree", "-o", "inverted").text()))
        .isEqualTo("(7:0)\n `-a (253:0)\n    `-b (253:1)\n(7:1)\n `-b (253:1)\n");
  }

  @Test
  void rowsAreSortedAsAsked() {
    assertThat(jdm("info -c --noheadings -o name -O -segments,-minor").text())
        .isEqualTo("multi\nro1\nfromfile\nc1\nc0\n");
  }

  @Test
  void noListingSaysSoWithoutDevices() {
    for (String verb : List.of("ls", "info", "status", "table", "deps")) {
      assertThat(InProcess.jdm(verb).text()).isEqualTo("No devices found\n");
    }
  }

  @Test
  void everyListingIsThereAsJson() {
    assertThat(jdm("info --json -o name,open c1").text().replaceAll("\\s", ""))
        .isEqualTo("{\"results\":[{\"name\":\"c1\",\"open\":0}]}");
    for (String verb : List.of("ls", "status", "table", "deps")) {
      assertThat(jdm(verb + " --json").text()).startsWith("{").contains("\"results\"", "\"c1\"");
    }
  }
}
