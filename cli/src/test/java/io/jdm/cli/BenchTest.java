package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.Requirement;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.jr.ob.JSON;

/** {@code jdm bench}, small: what it says, not how fast anything is. */
final class BenchTest {
  private static final Offset<Double> ROUNDING = Offset.offset(1e-9);

  @TempDir private Path directory;

  @Test
  void cipher_measures_every_combination_that_exists() throws IOException {
    Map<String, Object> document =
        json(
            "bench cipher --engine jdk,bouncycastle --cipher aes-xts,aes-cbc --sector-size 512,4096"
                + " --request 512,4096 --threads 1,2 --seconds 0.003 --no-peers --json");

    List<Map<String, Object>> results = results(document);
    // Two engines, two ciphers, three pairs of sector and request size, two numbers of threads, two
    // directions.
    assertThat(results).hasSize(2 * 2 * 3 * 2 * 2);
    assertThat(results)
        .allSatisfy(
            row -> {
              assertThat(row)
                  .containsKeys(
                      "engine",
                      "cipher",
                      "keyBits",
                      "sectorSize",
                      "requestBytes",
                      "threads",
                      "direction",
                      "bytesPerSecond",
                      "cpuBytesPerSecond")
                  .doesNotContainKey("ratioToOpenssl");
              assertThat((Double) row.get("bytesPerSecond")).isPositive();
              assertThat(row.containsKey("ratioToOneThread"))
                  .isEqualTo(row.get("threads").equals(2));
              assertThat(row.get("keyBits"))
                  .isEqualTo(row.get("cipher").equals("aes-xts") ? 512 : 256);
            });
    assertThat(results).extracting(row -> row.get("direction")).containsOnly("encrypt", "decrypt");
    assertThat(document).extractingByKey("machine").asString().contains("cpu", "java", "engines");
  }

  @Test
  void cipher_puts_openssl_beside_ours() throws IOException {
    Requirement.tool("openssl");
    List<Map<String, Object>> results =
        results(
            json(
                "bench cipher --engine jdk --sector-size 512 --request 4K --seconds 0.003 --json"));

    assertThat(results)
        .extracting(row -> row.get("engine"))
        .containsExactly("jdk", "jdk", "openssl speed", "openssl speed");
    assertThat(results.subList(0, 2))
        .allSatisfy(row -> assertThat(row).containsKey("ratioToOpenssl"));
    assertThat(results.get(2)).containsEntry("cipher", "aes-256-xts").containsEntry("keyBits", 512);
  }

  @Test
  void cipher_takes_the_comma_of_adiantum() throws IOException {
    List<Map<String, Object>> results =
        results(
            json(
                "bench cipher --engine jdk --cipher aes-cbc-essiv:sha256,xchacha12,aes-adiantum"
                    + " --sector-size 4096 --request 4096 --seconds 0.003 --no-peers --json"));

    assertThat(results)
        .extracting(row -> row.get("cipher"))
        .containsOnly("aes-cbc-essiv:sha256", "xchacha12,aes-adiantum");
  }

  @Test
  void cipher_prints_a_table_for_people() {
    InProcess run =
        InProcess.jdm(words("bench cipher --engine jdk --request 4096 --seconds 0.003 --no-peers"));

    assertThat(run.text())
        .contains("CPU ", "Java ", "Engine", "MB/s", "jdk", "aes-xts", "512b", "decrypt");
  }

  @Test
  void dd_runs_the_four_dds_and_leaves_nothing_behind() throws IOException {
    InProcess run =
        InProcess.jdm(words("bench dd --size 1M --engine jdk --no-peers --dir " + directory));

    assertThat(run.code()).isZero();
    assertThat(run.text().split("512\\+0 records in\n512\\+0 records out\n1048576 bytes", -1))
        .hasSize(5);
    assertThat(run.text())
        .contains("unencrypted write", "unencrypted read", "encrypted write", "encrypted read")
        .contains("8.0", "7.9", "20.1", "16.5")
        .contains("engine jdk");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void dd_computes_its_ratios_from_its_rows() throws IOException {
    Map<String, Object> document =
        json("bench dd --size 1M --engine jdk --json --dir " + directory);

    List<Map<String, Object>> results = results(document);
    assertThat(results)
        .allSatisfy(
            row ->
                assertThat(row)
                    .containsKeys("side", "operation", "bytesPerSecond", "realSeconds", "output"));
    Map<String, Object> ratios = object(document, "ratios");
    for (String operation : List.of("write", "read")) {
      double unencrypted = rate(results, "unencrypted", operation);
      assertThat((Double) ratios.get(operation))
          .isCloseTo(rate(results, "encrypted", operation) / unencrypted, ROUNDING);
      if (ratios.containsKey(operation + "ToGnuDd")) {
        assertThat((Double) ratios.get(operation + "ToGnuDd"))
            .isCloseTo(unencrypted / rate(results, "GNU dd", operation), ROUNDING);
      }
    }
    Map<String, Object> article = object(document, "article");
    Map<String, Object> theirs = object(article, "ratios");
    assertThat((Double) theirs.get("write")).isCloseTo(0.983, Offset.offset(0.001));
    assertThat((Double) theirs.get("read")).isCloseTo(0.819, Offset.offset(0.001));
    assertThat(directory).isEmptyDirectory();
  }

  private static double rate(List<Map<String, Object>> results, String side, String operation) {
    return results.stream()
        .filter(row -> row.get("side").equals(side) && row.get("operation").equals(operation))
        .mapToDouble(row -> (Double) row.get("bytesPerSecond"))
        .findAny()
        .orElseThrow();
  }

  @Test
  void device_measures_raw_file_linear_and_crypt_in_every_way() throws IOException {
    Map<String, Object> document =
        json(
            "bench device --size 1M --engine jdk --depth 1,2 --seconds 0.003 --no-peers --json --dir "
                + directory);

    List<Map<String, Object>> results = results(document);
    assertThat(results).hasSize(4 * 2 * 2 * 2);
    assertThat(results)
        .extracting(row -> row.get("device"))
        .containsOnly("raw", "file", "linear", "crypt");
    assertThat(results)
        .allSatisfy(
            row -> {
              assertThat(row)
                  .containsKeys(
                      "engine",
                      "pattern",
                      "operation",
                      "requestBytes",
                      "depth",
                      "bytesPerSecond",
                      "requestsPerSecond",
                      "allocatedBytesPerRequest");
              assertThat(row.containsKey("ratioToRaw")).isEqualTo(!row.get("device").equals("raw"));
              assertThat(row.containsKey("statistics"))
                  .isEqualTo(List.of("linear", "crypt").contains(row.get("device")));
            });
    Map<String, Object> counters = object(results.get(results.size() - 1), "statistics");
    assertThat((Integer) counters.get("reads")).isPositive();
    assertThat(counters).containsEntry("writes", 0).containsEntry("inFlight", 0);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void device_puts_qemu_beside_crypt() throws IOException {
    Requirement.tool("qemu-img");
    List<Map<String, Object>> results =
        results(
            json(
                "bench device --size 1M --engine jdk --depth 1 --seconds 0.003 --json --dir "
                    + directory));

    assertThat(results.get(results.size() - 1)).containsEntry("device", "qemu-img convert");
    assertThat(results.stream().filter(row -> row.containsKey("ratioToQemu")))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row)
                    .containsEntry("device", "crypt")
                    .containsEntry("pattern", "sequential")
                    .containsEntry("operation", "read"));
    assertThat(directory).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bench | what to measure is missing: cipher, dd or device",
        "bench cipher --engine nonesuch | no engine 'nonesuch', there are",
        "bench cipher --cipher foo-xts | there is no cipher 'foo', only aes,",
        "bench cipher --cipher aes-foo | there is no mode 'foo', only xts,",
        "bench cipher --key-size 333 | aes-xts takes 32, 48, 64 bytes",
        "bench cipher --engine conscrypt --cipher twofish-xts | none of the engines conscrypt has xts(twofish)",
        "bench cipher --request 100 | no multiples of sectors",
        "bench cipher --sector-size 768 | sector size 768 is not supported",
        "bench cipher --threads 0 | '0' is not a number from 1 on",
        "bench dd --dir /nowhere --size 1M | '/nowhere': No such file or directory",
        "bench dd --dir DIR --size 512P | No space left on device",
        "bench dd --dir DIR --size 1000 | no multiple of the 2048 of a block",
        "bench dd --dir DIR --size 1M --cipher foo | there is no cipher 'foo'",
        "bench dd --dir DIR --size 1M --engine nonesuch | no engine 'nonesuch', there are",
        "bench dd --dir DIR --size 2x | invalid number: '2x'",
        "bench device --dir DIR --size 1000 | no multiple of the 1048576 of a request",
        "bench device --dir DIR --size 1M --sector-size 100 | sector size 100 is not supported",
        "bench device --dir DIR --size 512P | No space left on device",
      })
  void what_cannot_be_measured_is_refused_with_what_can(String command, String message)
      throws IOException {
    InProcess run = InProcess.jdm(words(command.replace("DIR", directory.toString())));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).startsWith("jdm: ").contains(message);
    assertThat(run.text()).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  private static List<String> words(String command) {
    return List.of(command.split(" "));
  }

  private static Map<String, Object> json(String command) throws IOException {
    InProcess run = InProcess.jdm(words(command));
    assertThat(run.code()).isZero();
    return JSON.std.mapFrom(run.text());
  }

  @SuppressWarnings("unchecked") // The test would fail where the type is used.
  private static List<Map<String, Object>> results(Map<String, Object> document) {
    return (List<Map<String, Object>>) document.get("results");
  }

  @SuppressWarnings("unchecked") // The test would fail where the type is used.
  private static Map<String, Object> object(Map<String, Object> parent, String name) {
    return (Map<String, Object>) parent.get(name);
  }
}
