package io.jdm.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The programs we measure ourselves against. */
final class ProgramTest {
  @Test
  void a_program_that_is_not_on_the_path_is_not_found() {
    assertThat(Program.find("no-program-of-this-name")).isEmpty();
  }

  @Test
  void what_a_program_prints_and_its_exit_code_are_kept() throws IOException {
    Requirement.tool("sh");
    Program.Result result =
        Program.find("sh")
            .orElseThrow()
            .run(List.of("-c", "echo $LC_ALL; cat; echo bad >&2; exit 3"));

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.text()).isEqualTo("C\nbad\n");
    assertThat(result.nanos()).isPositive();
  }

  @Test
  void cpu_time_is_that_since_an_earlier_moment() {
    CpuTimes difference = new CpuTimes(3.5, 1).since(new CpuTimes(1, 0.5));

    assertThat(difference).isEqualTo(new CpuTimes(2.5, 0.5));
    assertThat(CpuTimes.ofThisProcess().user()).isNotNegative();
    assertThat(CpuTimes.ofChildren().system()).isNotNegative();
  }

  @Test
  void openssl_names_xts_by_the_size_of_half_its_key() {
    CipherCase ours = new CipherCase("gcrypt", "aes-xts", 512, 512, 65536, 2, Direction.DECRYPT);
    CipherCase peer = OpensslSpeed.peerOf(ours, new SectorAlgorithm("aes", "xts", 64, 512));

    assertThat(peer.cipher()).isEqualTo("aes-256-xts");
    assertThat(peer.threads()).isEqualTo(1);
    assertThat(peer.direction()).isEqualTo(Direction.DECRYPT);
    assertThat(
            OpensslSpeed.peerOf(
                    new CipherCase("jdk", "aes-cbc-plain", 128, 512, 512, 1, Direction.ENCRYPT),
                    new SectorAlgorithm("aes", "cbc", 16, 512))
                .cipher())
        .isEqualTo("aes-128-cbc");
  }

  @Test
  void openssl_tells_its_speed_and_what_it_lacks() throws IOException {
    Requirement.tool("openssl");
    OpensslSpeed openssl = OpensslSpeed.find().orElseThrow();
    CipherCase peer =
        new CipherCase("openssl speed", "aes-256-xts", 512, 4096, 4096, 1, Direction.DECRYPT);
    CipherCase unknown =
        new CipherCase("openssl speed", "serpent-256-xts", 512, 4096, 4096, 1, Direction.DECRYPT);

    assertThat(openssl.has(unknown)).isFalse();
    assertThat(openssl.has(peer)).isTrue();
    Sample sample = openssl.contestant(peer).measurement().take();
    assertThat(sample.bytes()).isPositive().isEqualTo(4096 * sample.operations());
    assertThat(sample.cpuBytesPerSecond()).isPositive();
  }

  @Test
  void a_dd_is_read_by_its_summary() throws IOException {
    String text =
        """
        dd: warning: something
        8+0 records in
        8+0 records out
        16384 bytes (16 kB, 16 KiB) copied, 0.5 s, 33 kB/s
        """;

    DdRun run = DdRun.of(text, 500_000_000, new CpuTimes(0, 0));

    assertThat(run.bytes()).isEqualTo(16384);
    assertThat(run.bytesPerSecond()).isEqualTo(32768);
    assertThat(run.summary()).startsWith("8+0 records in\n").endsWith("kB/s");
    assertThatIOException()
        .isThrownBy(() -> DdRun.of("dd: failed to open 'x'", 1, new CpuTimes(0, 0)))
        .withMessageContaining("failed to open 'x'");
  }

  @Test
  void the_article_has_the_ratios_that_it_was_cited_for() {
    assertThat(Article.ratio(Transfer.WRITE)).isBetween(0.983, 0.984);
    assertThat(Article.ratio(Transfer.READ)).isBetween(0.818, 0.819);
    assertThat(Article.run(Side.ENCRYPTED, Transfer.READ).bytesPerSecond())
        .isCloseTo(16.5 * (1 << 20), Percentage.withPercentage(1));
  }
}
