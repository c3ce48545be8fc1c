package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.DeviceNumber;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import io.jdm.mapper.TableText;
import io.jdm.mapper.TargetStatus;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/**
 * The whole transcript of dmsetup on Linux 6.1, command by command, as calls of the device mapper:
 * what succeeds, what is printed, and what the tool and the kernel say. What is the command line's
 * own (columns, trees, udev, statistics) is left to its tests.
 */
final class TranscriptTest {
  private static final Pattern BLOCK = Pattern.compile("```\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern REPEAT =
      Pattern.compile("\\$\\(printf '(.)%\\.0s' \\$\\(seq 1 (\\d+)\\)\\)");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();
  private final SoftAssertions softly = new SoftAssertions();

  // What the commands of one block did.
  private final List<String> printed = new ArrayList<>();
  private final List<MapperException> refusals = new ArrayList<>();
  private boolean complete;
  private boolean failed;
  private BlockDevice open;

  @Test
  void goesAsOnTheRealKernel() throws IOException {
    String transcript = Files.readString(SharedFolder.file("oracle/dmsetup-transcript.md"));
    transcript = transcript.substring(transcript.indexOf("\n## create"));
    disks.add("loop0", 4 << 20);
    disks.add("loop1", 4 << 20);
    List<String> blocks =
        BLOCK.matcher(transcript).results().map(result -> result.group(1)).toList();
    int checked = 0;
    for (int i = 0; i < blocks.size(); i++) {
      String block = blocks.get(i);
      // Nine optional words became possible after 6.1, with integrity_key_size.
      if (block.startsWith("$ ") && !block.contains(" 9 a b c")) {
        boolean logged = i + 1 < blocks.size() && blocks.get(i + 1).startsWith("--- kernel log");
        checked += check(block, logged ? blocks.get(i + 1) : "") ? 1 : 0;
      }
    }
    softly.assertAll();
    assertThat(checked).isGreaterThan(130);
    mapper.close();
    assertThat(disks.open()).isZero();
  }

  /** Runs the commands of a block; false if not all of them are the mapper's. */
  private boolean check(String block, String log) throws IOException {
    printed.clear();
    refusals.clear();
    complete = true;
    String[] sections = block.split("(?m)^--- ");
    run(sections[0].substring(2).strip());
    if (open != null) {
      open.close();
      open = null;
    }
    if (!complete) {
      return false;
    }
    String out = section(sections, "stdout").replaceAll("(?m)^Read Ahead:.*\n", "");
    String err = section(sections, "stderr");
    softly
        .assertThat(String.join("\n", printed).stripTrailing())
        .as(block)
        .isEqualTo(out.stripTrailing());
    softly.assertThat(failed).as(block).isEqualTo(!section(sections, "exit").startsWith("0"));
    for (MapperException refusal : refusals) {
      softly.assertThat(err).as(block).contains(refusal.toolMessage());
    }
    if (err.contains(" ioctl on ")) {
      softly.assertThat(refusals).as(block).isNotEmpty();
    }
    List<String> kernel =
        log.lines()
            .map(line -> line.replace("trusted_key: ", ""))
            .filter(line -> line.startsWith("device-mapper: "))
            .toList();
    List<String> ours =
        refusals.stream()
            .flatMap(refusal -> refusal.kernelLog().stream())
            .map(line -> line.replace("disk:", ""))
            .toList();
    softly.assertThat(ours).as(block).isEqualTo(kernel);
    return true;
  }

  private static String section(String[] sections, String name) {
    for (String section : sections) {
      if (section.startsWith(name)) {
        return section.substring(name.length()).stripLeading();
      }
    }
    return "";
  }

  private void run(String line) throws IOException {
    String file = "";
    for (String part : line.split("(?:;|&&)(?=(?:[^']*'[^']*')*[^']*$)")) {
      String command = repeat(part.strip());
      failed = false;
      Matcher piped =
          Pattern.compile("(?:echo|printf) '([^']*)' \\| (.*)", Pattern.DOTALL).matcher(command);
      Matcher saved = Pattern.compile("printf '([^']*)' > t").matcher(command);
      if (saved.matches()) {
        file = saved.group(1).replace("\\n", "\n");
      } else if (piped.matches()) {
        dmsetup(piped.group(2), piped.group(1).replace("\\n", "\n"));
      } else if (command.startsWith("exec 9</dev/mapper/")) {
        open =
            mapper.open(DeviceId.named(command.substring("exec 9</dev/mapper/".length())), false);
      } else if (command.equals("exec 9<&-")) {
        open.close();
        open = null;
      } else {
        dmsetup(command, file);
      }
    }
  }

  private static String repeat(String command) {
    return REPEAT
        .matcher(command)
        .replaceAll(match -> match.group(1).repeat(Integer.parseInt(match.group(2))));
  }

  private void dmsetup(String command, String input) {
    List<String> words =
        WORD.matcher(command)
            .results()
            .map(
                m -> m.group(1) != null ? m.group(1) : m.group(2) != null ? m.group(2) : m.group(3))
            .collect(Collectors.toCollection(ArrayList::new));
    if (words.size() < 2 || !words.remove(0).equals("dmsetup")) {
      complete = false;
      return;
    }
    try {
      dmsetup(words.remove(0), words, input);
    } catch (MapperException e) {
      refusals.add(e);
      failed = true;
    }
  }

  private void dmsetup(String verb, List<String> words, String input) throws MapperException {
    words.removeAll(
        List.of("--noflush", "--nolockfs", "--retry", "--addnodeoncreate", "</dev/null"));
    String table = words.contains("--table") ? option(words, "--table") : null;
    boolean readOnly = words.remove("--readonly");
    boolean showKeys = words.remove("--showkeys");
    Slot slot = words.remove("--inactive") ? Slot.INACTIVE : Slot.LIVE;
    boolean force = words.remove("-f");
    boolean deferred = words.remove("--deferred");
    boolean setUuid = words.remove("--setuuid");
    boolean noTable = words.remove("-n");
    String uuid = words.contains("--uuid") ? option(words, "--uuid") : "";
    uuid = words.contains("-u") ? option(words, "-u") : uuid;
    boolean numbered = words.contains("-j") && words.contains("-m");
    DeviceNumber number =
        numbered
            ? new DeviceNumber(
                Integer.parseInt(option(words, "-j")), Integer.parseInt(option(words, "-m")))
            : null;
    words.remove("t");
    boolean known =
        !verb.equals("message")
            && (words.isEmpty()
                ? number != null || !uuid.isEmpty()
                : words.stream().noneMatch(w -> w.startsWith("-") || w.startsWith("/")));
    String name = words.isEmpty() ? "" : words.get(0);
    DeviceId id = new DeviceId(name, uuid, number);
    switch (known ? verb : verb + "?") {
      case "create" -> {
        int minor = number == null ? DeviceDefinition.ANY_MINOR : number.minor();
        try (TableText text = noTable ? TableText.of() : parse(table != null ? table : input)) {
          mapper.create(new DeviceDefinition(name, uuid, minor, readOnly, text));
        }
      }
      case "load", "reload" -> {
        // dmsetup reads the file before it asks the kernel for the device.
        try (TableText text = parse(table != null ? table : input)) {
          mapper.load(id, text, readOnly);
        }
      }
      case "suspend" -> mapper.suspend(id);
      case "resume" -> mapper.resume(id);
      case "clear" -> mapper.clear(id);
      case "wipe_table" -> mapper.wipeTable(id);
      case "rename" -> {
        if (words.size() != 2) {
          complete = false;
        } else if (setUuid) {
          mapper.setUuid(id, words.get(1));
        } else {
          mapper.rename(id, words.get(1));
        }
      }
      case "remove" -> {
        for (String each : words.isEmpty() ? List.of("") : words) {
          if (force) {
            mapper.wipeTable(DeviceId.named(each));
          }
          mapper.remove(each.isEmpty() ? id : DeviceId.named(each), deferred);
        }
      }
      case "remove_all?" -> mapper.removeAll(false);
      case "message?" -> message(words);
      case "table" -> print(words, mapper.table(id, slot, showKeys));
      case "status" -> print(words, mapper.status(existing(id), slot));
      case "info" -> {
        printed.add(info(mapper.info(existing(id))));
        complete &= words.size() < 2;
      }
      case "deps" -> {
        List<String> numbers =
            mapper.deps(id, Slot.LIVE).stream()
                .map(dependency -> "(7, " + dependency.name().substring("disk:loop".length()) + ")")
                .toList();
        printed.add(numbers.size() + " dependencies\t: " + String.join(" ", numbers));
        complete &= words.size() < 2;
      }
      default -> complete = false;
    }
  }

  /** For a device that is missing here dmsetup has words of its own. */
  private DeviceId existing(DeviceId id) throws MapperException {
    try {
      mapper.info(id);
    } catch (MapperException e) {
      complete = false;
      throw e;
    }
    return id;
  }

  private static String option(List<String> words, String name) {
    int at = words.indexOf(name);
    words.remove(at);
    return words.remove(at);
  }

  private static TableText parse(String table) throws MapperException {
    return TableText.parse(
        table
            .replaceAll("(?:/dev/loop|\\b7:)([01])\\b", "disk:loop$1")
            .getBytes(StandardCharsets.UTF_8),
        "");
  }

  private void message(List<String> words) throws MapperException {
    if (words.size() > 2 && words.get(2).startsWith("@")) {
      complete = false;
      return;
    }
    String text = words.stream().skip(2).collect(Collectors.joining(" "));
    try (Arguments arguments = Arguments.split(text)) {
      mapper.message(DeviceId.named(words.get(0)), Long.parseLong(words.get(1)), arguments);
    }
  }

  private void print(List<String> words, List<TargetStatus> lines) {
    complete &= words.size() < 2;
    printed.add(
        lines.stream()
            .map(line -> line.toString().replaceAll("disk:loop([01])", "7:$1"))
            .collect(Collectors.joining("\n")));
  }

  private static String info(DeviceInfo info) {
    String tables =
        info.live()
            ? info.inactive() ? "LIVE & INACTIVE" : "LIVE"
            : info.inactive() ? "INACTIVE" : "None";
    List<String> lines =
        new ArrayList<>(
            Arrays.asList(
                "Name:              " + info.name(),
                "State:             "
                    + (info.suspended() ? "SUSPENDED" : "ACTIVE")
                    + (info.readOnly() ? " (READ-ONLY)" : "")
                    + (info.deferredRemove() ? " (DEFERRED REMOVE)" : ""),
                "Tables present:    " + tables,
                "Open count:        " + info.openCount(),
                "Event number:      " + info.eventNumber(),
                "Major, minor:      " + info.number().major() + ", " + info.number().minor(),
                "Number of targets: " + info.targets()));
    if (!info.uuid().isEmpty()) {
      lines.add("UUID: " + info.uuid());
    }
    return String.join("\n", lines) + "\n";
  }
}
