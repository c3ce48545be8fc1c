package io.jdm.mapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the kernel says to tables, as {@code tables.tsv} has it. */
class OracleTablesTest {
  @TempDir Path dir;
  private String disk;
  private DeviceMapper mapper;

  record Case(String source, String table, String errno, List<String> log, String echo) {
    @Override
    public String toString() {
      return table.replace("\n", "; ") + " (" + source + ")";
    }
  }

  static Stream<Case> cases() throws IOException {
    try (InputStream in = OracleTablesTest.class.getResourceAsStream("tables.tsv")) {
      return new String(in.readAllBytes(), UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> line.replace("\\n", "\n").split("\t", -1))
              .map(
                  f ->
                      new Case(
                          f[0],
                          f[1],
                          f[2],
                          f[3].isEmpty() ? List.of() : Arrays.asList(f[3].split("\\|")),
                          f[4]))
              .toList()
              .stream();
    }
  }

  static Stream<Case> refused() throws IOException {
    return cases().filter(c -> !c.errno().isEmpty());
  }

  static Stream<Case> accepted() throws IOException {
    return cases().filter(c -> c.errno().isEmpty());
  }

  @BeforeEach
  void aDiskAndADevice2() throws IOException {
    Path file = dir.toRealPath().resolve("loop1");
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.position(8192 * 512 - 1).write(ByteBuffer.allocate(1));
    }
    disk = Arguments.quote(file.toString());
    mapper = DeviceMapper.builder().build();
    mapper.create(DeviceDefinition.of("c0", TableText.of()));
    mapper.create(DeviceDefinition.of("c1", TableText.of()));
  }

  @AfterEach
  void nothingIsLeft() {
    mapper.close();
  }

  private TableText table(String text) throws MapperException {
    return TableText.parse(text.replace("DEV", disk).replace("DIR", Arguments.quote("" + dir)));
  }

  private static List<String> log(Case c) {
    return c.log().stream().map("device-mapper: "::concat).toList();
  }

  @ParameterizedTest
  @MethodSource("refused")
  void createRefusesWithTheKernelsWordsAndUndoesItself(Case c) throws Exception {
    DeviceDefinition bad = new DeviceDefinition("bad", "UUID-1", -1, false, table(c.table()));
    MapperException e = catchThrowableOfType(MapperException.class, () -> mapper.create(bad));
    assertThat(e.kernelLog()).isEqualTo(log(c));
    assertThat(e.errno().name()).isEqualTo(c.errno());
    assertThat(e.toolMessage())
        .isEqualTo(
            "device-mapper: reload ioctl on bad (253:2) failed: "
                + Errno.valueOf(c.errno()).message());
    assertThat(e.explanation()).startsWith(c.log().get(0));
    assertThat(mapper.list()).extracting(DeviceInfo::name).containsExactly("c0", "c1");
  }

  @ParameterizedTest
  @MethodSource("refused")
  void loadRefusesTheFirstTableWithoutTheNumber(Case c) throws Exception {
    mapper.create(DeviceDefinition.of("bad", TableText.of()));
    DeviceId id = DeviceId.named("bad");
    MapperException e =
        catchThrowableOfType(MapperException.class, () -> mapper.load(id, table(c.table()), false));
    assertThat(e.kernelLog()).isEqualTo(log(c));
    assertThat(e.toolMessage())
        .isEqualTo(
            "device-mapper: reload ioctl on bad  failed: " + Errno.valueOf(c.errno()).message());
    assertThat(mapper.info(id).inactive()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("accepted")
  void whatIsAcceptedIsEchoedAndAcceptedBack(Case c) throws Exception {
    mapper.create(DeviceDefinition.of("good", table(c.table())));
    DeviceId id = DeviceId.named("good");
    String echo =
        mapper.table(id, Slot.LIVE, false).stream()
            .map(TargetStatus::toString)
            .collect(Collectors.joining("\n"));
    assertThat(echo).isEqualTo(c.echo().replace("DEV", disk));
    mapper.load(id, TableText.parse(echo), false);
    assertThat(mapper.table(id, Slot.INACTIVE, false)).hasToString("[" + echo + "]");
  }
}
