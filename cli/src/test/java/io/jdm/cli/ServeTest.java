package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.jdm.testing.Program;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code jdm serve}, with the programs that it is for. */
@Timeout(120)
class ServeTest {
  @TempDir Path folder;

  /** Serves while a shell command runs; what that printed. */
  private String serve(int code, String command, String... arguments) throws IOException {
    Path out = folder.resolve("out");
    String[] all = new String[arguments.length + 3];
    all[0] = "serve";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[arguments.length + 1] = "--run";
    all[arguments.length + 2] = "{ " + command + "; } >'" + out + "' 2>&1";
    InProcess jdm = InProcess.jdm(all);
    String printed = Files.exists(out) ? Files.readString(out) : "";
    assertThat(jdm.code()).as("%s%s", jdm.err(), printed).isEqualTo(code);
    return printed;
  }

  @Test
  void aDeviceIsServedWhileACommandRuns() throws IOException {
    Requirement.tool("nbdinfo");
    assertThat(serve(0, "nbdinfo --size \"$uri\"", "mem:1M:serve")).isEqualTo("1048576\n");
    assertThat(serve(3, "exit 3", "mem:1M:serve")).isEmpty();
  }

  @Test
  void aTableIsServed() throws IOException {
    Requirement.tool("nbdcopy");
    byte[] content = new byte[1 << 20];
    new Random(1).nextBytes(content);
    Path image = Files.write(folder.resolve("image"), content);
    Path copy = folder.resolve("copy");
    serve(0, "nbdcopy \"$uri\" '" + copy + "'", "0 2040 linear " + image + " 8");
    assertThat(Files.readAllBytes(copy)).isEqualTo(Arrays.copyOfRange(content, 4096, 1 << 20));
  }

  @Test
  void theCommandIsToldWhereToConnect() throws IOException {
    Path socket = folder.resolve("sock");
    String variables = "test \"$nbd\" = \"$uri\" && echo \"$uri|$unixsocket|$port|$exportname\"";
    assertThat(serve(0, variables, "mem:1M:serve", "-U", socket.toString(), "-e", "a disk"))
        .isEqualTo("nbd+unix:///a%20disk?socket=" + socket + "|" + socket + "||a disk\n");
    assertThat(serve(0, variables, "mem:1M:serve", "--tcp", "0"))
        .matches("nbd://localhost:(\\d+)/\\|\\|\\1\\|\n");
    assertThat(serve(0, "echo \"$uri\"", "mem:1M:serve", "--tcp", "[::1]:0"))
        .matches("nbd://\\[[0:]*1]:\\d+/?\n");
    assertThat(socket).doesNotExist();
  }

  @Test
  void aDeviceOfTheCommandLineIsServedByItsName() throws IOException {
    Requirement.tool("nbdinfo");
    Path out = folder.resolve("out");
    InProcess jdm =
        InProcess.jdm(
            "--map",
            "disk,,,rw,0 16 zero",
            "serve",
            "disk",
            "--run",
            "nbdinfo --size \"$uri\" >" + out);
    assertThat(jdm.code()).as(jdm.err()).isZero();
    assertThat(out).hasContent("8192");
  }

  /** Holes of the image are holes of a linear device; what is encrypted over them is data. */
  @Test
  void blockStatusIsHonest() throws IOException {
    Requirement.tool("nbdinfo");
    Path image = folder.resolve("image");
    try (FileChannel file =
        FileChannel.open(image, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(new byte[] {1}), 4 << 20);
      file.write(ByteBuffer.wrap(new byte[] {1}), (8 << 20) - 1);
    }
    String map = "nbdinfo --map \"$uri\" | tr -s ' '";
    String sectors = "0 " + ((8 << 20) / 512 - 8);
    assertThat(serve(0, map, sectors + " linear " + image + " 8").lines())
        .containsExactly(
            " 0 4190208 3 hole,zero",
            " 4190208 4096 0 data",
            " 4194304 4186112 3 hole,zero",
            " 8380416 4096 0 data");
    assertThat(serve(0, map, sectors + " crypt cipher_null-ecb - 0 " + image + " 8"))
        .isEqualTo(" 0 8384512 0 data\n");
    assertThat(serve(0, map, "0 16 zero")).isEqualTo(" 0 8192 3 hole,zero\n");
    assertThat(serve(0, map, "mem:1M:map")).isEqualTo(" 0 1048576 3 hole,zero\n");
  }

  /** nbdinfo starts the server as systemd would: with a listening socket as descriptor 3. */
  @Test
  void aSocketOfWhoeverStartsTheServerIsUsed() throws IOException {
    Path jdm = Distribution.in(folder);
    assertThat(Program.run("nbdinfo", "--size", "--", "[", jdm, "serve", "mem:1M:serve", "]"))
        .isEqualTo("1048576\n");
    assertThat(
            Program.runFailing(
                "nbdinfo", "--size", "--", "[", jdm, "serve", "mem:1M:serve", "--tcp", "0", "]"))
        .contains("a passed socket does not go together with --run, --unix or --tcp");
  }

  @Test
  void aSignalEndsTheServerInOrder() throws Exception {
    Path socket = folder.resolve("sock");
    Path pid = folder.resolve("pid");
    Path image = Files.write(folder.resolve("image"), new byte[8192]);
    Path jdm = Distribution.in(folder);
    try (Program server = Program.start("sh", jdm, "serve", image, "-U", socket, "-P", pid)) {
      await().until(() -> Files.exists(pid) && Files.size(pid) > 0);
      String uri = "nbd+unix:///?socket=" + socket;
      Program.run("qemu-io", "-f", "raw", "-c", "write -P 7 0 4096", uri);
      ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow().destroy();
      assertThat(server.exitCode()).as(server.output()).isZero();
      assertThat(server.output()).isEqualTo(uri + "\n");
    }
    assertThat(socket).doesNotExist();
    assertThat(Arrays.copyOf(Files.readAllBytes(image), 4096)).containsOnly(7);
  }

  @Test
  void aSignalEndsTheCommandAndTheServer() throws Exception {
    Path pid = folder.resolve("pid");
    Path jdm = Distribution.in(folder);
    try (Program server =
        Program.start(
            "sh",
            jdm,
            "serve",
            "mem:1M:serve",
            "-P",
            pid,
            "--run",
            "echo $unixsocket; exec sleep 60")) {
      await().until(() -> server.output().contains("socket\n"));
      ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow().destroy();
      assertThat(server.exitCode()).as(server.output()).isEqualTo(128 + 15);
      assertThat(Path.of(server.output().strip()).getParent()).doesNotExist();
    }
  }

  @Test
  void nobodyWritesToAReadOnlyExport() throws IOException {
    Requirement.tool("nbdinfo");
    Path image = Files.write(folder.resolve("image"), new byte[4096]);
    serve(0, "nbdinfo --is read-only \"$uri\"", "-r", image.toString());
    serve(0, "nbdinfo --is read-only \"$uri\"", "-r", "0 8 linear " + image + " 0");
  }

  @ParameterizedTest
  @CsvSource({
    "--tcp x, invalid address",
    "--tcp 65536, invalid address",
    "--tcp 0.0.0.0:0, needs TLS",
    "--tls-verify-peer, needs --tls-certificates",
    "--tls-certificates /nonexistent, no TLS certificates",
    "--fd 3, can only take over descriptor 0",
    "--unix /tmp, something is there already",
    "--unix /nonexistent/sock, /nonexistent",
  })
  void whatCannotBeServedIsRefused(String options, String reason) {
    String[] words = ("serve mem:1M:serve " + options).split(" ");
    InProcess jdm = InProcess.jdm(words);
    assertThat(jdm.code()).isEqualTo(1);
    assertThat(jdm.err()).startsWith("jdm: ").contains(reason);
  }

  @Test
  void runAndAPassedSocketDoNotGoTogether() {
    InProcess jdm = InProcess.jdm("serve", "mem:1M:serve", "--fd", "0", "--run", "true");
    assertThat(jdm.code()).isEqualTo(1);
    assertThat(jdm.err()).contains("do not go together");
  }

  @Test
  void whatIsNotThereCannotBeServed() {
    assertThat(InProcess.jdm("serve", "/nonexistent/image").err())
        .contains("No such file or directory");
    assertThat(InProcess.jdm("serve", "0 8 nonsense").code()).isEqualTo(1);
  }
}
