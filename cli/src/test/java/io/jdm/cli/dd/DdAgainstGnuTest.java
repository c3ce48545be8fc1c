package io.jdm.cli.dd;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.cli.Jdm;
import io.jdm.cli.session.GlobalOptions;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Stdio;
import io.jdm.testing.Requirement;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same operands given to GNU dd and to jdm dd, each in a folder of its own with the same files:
 * exit code, standard output, standard error and all files must come out equal. Times and rates are
 * masked. The two differ on purpose in two things: {@code -} is a standard stream, and {@code
 * conv=sparse} makes zeros on a device, where GNU dd leaves what was there.
 */
final class DdAgainstGnuTest {
  private static final int RANDOM_CASES = 150;

  @TempDir Path temporary;

  /** What one run gave, files aside. */
  private record Outcome(int code, String out, String err) {}

  @BeforeAll
  static void gnuDdIsHere() throws Exception {
    Process version = new ProcessBuilder(Requirement.tool("dd").toString(), "--version").start();
    String text = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!text.startsWith("dd (coreutils) 9.1\n")) {
      Requirement.missing("dd of coreutils 9.1");
    }
  }

  static List<String> cases() throws IOException {
    try (InputStream in = DdAgainstGnuTest.class.getResourceAsStream("gnu-cases.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void does_as_gnu_dd_does(String line) throws Exception {
    assertThat(run(line, "jdm", DdAgainstGnuTest::runJdm))
        .isEqualTo(run(line, "gnu", DdAgainstGnuTest::runGnu));
  }

  /** Operands at random, as a case of the table is written; the seed is part of what is printed. */
  static List<Named<String>> randomCases() {
    long seed = Long.getLong("jdm.random.seed", 20261201);
    Random random = new Random(seed);
    List<Named<String>> cases = new ArrayList<>();
    for (int i = 0; i < RANDOM_CASES; i++) {
      String output = pick(random, "of=@new ", "of=@old ", "of=@old conv=notrunc ", "");
      // dd 9.1 forgets to seek over a part of the first block before it cuts a file.
      boolean cutsFile = !output.contains("notrunc");
      String line =
          pick(random, "<bytes ", "|bytes ", "if=@bytes ", "if=@text ", "if=@holes ")
              + output
              + sizes(random)
              + maybe(random, "skip=" + random.nextInt(8) + pick(random, "", "", "B"))
              + maybe(
                  random, "seek=" + random.nextInt(8) + (cutsFile ? "" : pick(random, "", "", "B")))
              + maybe(random, "count=" + random.nextInt(30) + pick(random, "", "", "B"))
              + maybe(random, "cbs=" + (1 + random.nextInt(40)))
              + maybe(random, "conv=" + conversions(random))
              + maybe(random, "iflag=" + pick(random, "fullblock", "skip_bytes", "count_bytes"))
              + maybe(
                  random,
                  "oflag=" + pick(random, cutsFile ? "sync" : "seek_bytes", "append", "dsync"))
              + maybe(random, "status=" + pick(random, "none", "noxfer"));
      cases.add(Named.of(line + " (seed " + seed + ")", line.strip()));
    }
    return cases;
  }

  private static String sizes(Random random) {
    int unit = pick(random, 1, 7, 512) * (1 + random.nextInt(6));
    return switch (random.nextInt(4)) {
      case 0 -> "";
      case 1 -> "bs=" + unit + " ";
      case 2 -> "ibs=" + unit + " ";
      default -> "ibs=" + unit + " obs=" + (1 + random.nextInt(2000)) + " ";
    };
  }

  private static String conversions(Random random) {
    String[] words = {
      "ascii", "ebcdic", "ibm", "block", "unblock", "lcase", "ucase", "swab", "sync", "sparse",
      "noerror", "notrunc"
    };
    return pick(random, words) + (random.nextBoolean() ? "," + pick(random, words) : "");
  }

  private static String maybe(Random random, String word) {
    return random.nextInt(3) == 0 ? word + " " : "";
  }

  @SafeVarargs
  private static <T> T pick(Random random, T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  @ParameterizedTest
  @MethodSource("randomCases")
  void does_as_gnu_dd_does_at_random(String line) throws Exception {
    does_as_gnu_dd_does(line);
  }

  /** Copies from and to a mapped device, within its bounds, at random. */
  static List<Named<String>> deviceCases() {
    long seed = Long.getLong("jdm.random.seed", 20261201);
    Random random = new Random(seed);
    List<Named<String>> cases = new ArrayList<>();
    for (int i = 0; i < RANDOM_CASES; i++) {
      String line =
          pick(
                  random,
                  "if=@bytes of=@disk conv=notrunc ",
                  "if=@disk of=@new ",
                  "if=@holes of=@disk conv=notrunc ",
                  "|text of=@disk conv=notrunc,ucase ")
              + sizes(random)
              + maybe(random, "skip=" + random.nextInt(500) + "B")
              + maybe(random, "seek=" + random.nextInt(9000) + "B")
              + maybe(random, "count=" + random.nextInt(3000) + "B")
              + maybe(random, "conv=" + pick(random, "swab", "fsync", "fdatasync", "noerror"))
              + maybe(random, "iflag=fullblock");
      cases.add(Named.of(line + " (seed " + seed + ")", line.strip()));
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("deviceCases")
  void does_to_a_mapped_device_as_gnu_dd_does_to_a_file(String line) throws Exception {
    assertThat(run(line, "jdm", DdAgainstGnuTest::runJdmOnDevice))
        .isEqualTo(run(line, "gnu", DdAgainstGnuTest::runGnu));
  }

  private static Outcome runJdmOnDevice(
      List<String> operands, Path stdin, boolean pipe, Path folder) throws Exception {
    Path disk = folder.resolve("disk");
    List<String> words =
        new ArrayList<>(
            List.of(
                "--map", "d,,,rw,0 20 linear " + disk + " 0,20 20 linear " + disk + " 20", "dd"));
    operands.forEach(word -> words.add(word.replace(disk.toString(), "/dev/mapper/d")));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code;
    try (InputStream in = new ByteArrayInputStream(Files.readAllBytes(stdin))) {
      code =
          Jdm.run(
              words.toArray(new String[0]),
              new Stdio(in, out, new PrintStream(err, true, StandardCharsets.UTF_8)));
    }
    return new Outcome(
        code, out.toString(StandardCharsets.ISO_8859_1), err.toString(StandardCharsets.UTF_8));
  }

  @FunctionalInterface
  private interface Runner {
    Outcome run(List<String> operands, Path stdin, boolean pipe, Path folder) throws Exception;
  }

  /** All that a run left, as text. */
  private String run(String line, String side, Runner runner) throws Exception {
    Path folder = Files.createDirectory(temporary.resolve(side));
    makeFiles(folder);
    List<String> words = new ArrayList<>(Arrays.asList(line.split(" ")));
    char first = line.charAt(0);
    Path stdin = folder.resolve("empty");
    if (first == '<' || first == '|') {
      stdin = folder.resolve(words.remove(0).substring(1));
    }
    words.replaceAll(word -> word.replace("@", folder + "/"));
    Outcome outcome = runner.run(words, stdin, first == '|', folder);
    String err =
        outcome
            .err
            .replace(folder + "/", "@")
            .replaceAll("copied, [-+.0-9e]+ s, [0-9.]+ [kMGT]?B/s", "copied, T s, R");
    return "exit "
        + outcome.code
        + "\nstandard output "
        + show(outcome.out.getBytes(StandardCharsets.ISO_8859_1))
        + "\n"
        + err
        + contents(folder);
  }

  private static void makeFiles(Path folder) throws IOException {
    Files.writeString(folder.resolve("ten"), "0123456789");
    byte[] bytes = new byte[2560];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 7 + i / 256);
    }
    Files.write(folder.resolve("bytes"), bytes);
    Files.writeString(
        folder.resolve("text"),
        "one\ntwo three\n\n  Four\nfive spaces     \nA longer line 123\nend");
    byte[] holes = new byte[9 * 512];
    for (int block : new int[] {0, 3, 5}) {
      Arrays.fill(holes, block * 512, block * 512 + 512, (byte) 'a');
    }
    Files.write(folder.resolve("holes"), holes);
    Files.writeString(folder.resolve("old"), "x".repeat(1000));
    Files.write(folder.resolve("empty"), new byte[0]);
    byte[] disk = new byte[40 * 512];
    new Random(40).nextBytes(disk);
    Files.write(folder.resolve("disk"), disk);
    Files.createDirectory(folder.resolve("folder"));
    Files.createSymbolicLink(folder.resolve("link"), Path.of("ten"));
  }

  private static String contents(Path folder) throws IOException {
    StringBuilder contents = new StringBuilder();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        contents.append(file.getFileName()).append(": ");
        // A long file is only long: what counts is its size.
        contents.append(
            Files.size(file) > 100_000
                ? Files.size(file) + " bytes"
                : show(Files.readAllBytes(file)));
        contents.append('\n');
      }
    }
    return contents.toString();
  }

  /** Short text as it is, other bytes by size and checksum. */
  private static String show(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    if (bytes.length < 120 && text.chars().allMatch(c -> c == '\n' || (c >= ' ' && c <= '~'))) {
      return '"' + text.replace("\n", "\\n") + '"';
    }
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return String.format("%d bytes, CRC %08x", bytes.length, crc.getValue());
  }

  private static Outcome runGnu(List<String> operands, Path stdin, boolean pipe, Path folder)
      throws Exception {
    List<String> command = new ArrayList<>(operands);
    command.add(0, "dd"); // By this name, which begins its messages.
    Path err = folder.resolveSibling("gnu.err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().put("LC_ALL", "C");
    if (!pipe) {
      builder.redirectInput(stdin.toFile());
    }
    Process process = builder.start();
    if (pipe) {
      try (OutputStream toGnu = process.getOutputStream()) {
        toGnu.write(Files.readAllBytes(stdin));
      } catch (IOException e) {
        // It has left without reading.
        assertThat(e.getMessage()).isIn("Broken pipe", "Stream closed");
      }
    }
    byte[] out = process.getInputStream().readAllBytes();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Outcome(
        process.exitValue(), new String(out, StandardCharsets.ISO_8859_1), Files.readString(err));
  }

  private static Outcome runJdm(List<String> operands, Path stdin, boolean pipe, Path folder)
      throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code;
    try (InputStream in =
            pipe
                ? new ByteArrayInputStream(Files.readAllBytes(stdin))
                : new FileInputStream(stdin.toFile());
        PrintStream printed = new PrintStream(err, true, StandardCharsets.UTF_8);
        Session session = new Session(new Stdio(in, out, printed), GlobalOptions.ofEngine(null))) {
      code = Dd.run(operands, session);
    }
    return new Outcome(
        code, out.toString(StandardCharsets.ISO_8859_1), err.toString(StandardCharsets.UTF_8));
  }
}
