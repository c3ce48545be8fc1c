package io.jdm.nbd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.layer.FailingDevice;
import io.jdm.blockdev.layer.Fault;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.Served;
import io.jdm.testing.Program;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The programs that people use with NBD, against our server. */
@Timeout(120)
class ServerToolsTest {
  private static final int SIZE = 8 << 20;

  @TempDir Path folder;

  private final byte[] content = new byte[SIZE];
  private final FailingDevice device = FailingDevice.of(MemoryDevice.ofSize(SIZE, 4096));
  private Served served;
  private String uri;

  @BeforeEach
  void serve() throws IOException {
    new Random(1).nextBytes(content);
    device.write(0, ByteBuffer.wrap(content));
    served =
        Served.of(
            builder ->
                builder
                    .export(Export.of("disk", device).withDescription("a disk"))
                    .export(Export.of("safe", device).readOnly()));
    uri = served.uri("disk");
  }

  @AfterEach
  void close() throws IOException {
    served.close();
  }

  private byte[] now() throws IOException {
    byte[] bytes = new byte[SIZE];
    device.read(0, ByteBuffer.wrap(bytes));
    return bytes;
  }

  // nbdinfo

  @Test
  void nbdinfoTellsWhatTheExportCan() throws IOException {
    assertThat(Program.run("nbdinfo", uri))
        .contains("protocol: newstyle-fixed without TLS, using structured packets")
        .contains("export=\"disk\"")
        .contains("description: a disk")
        .contains("export-size: " + SIZE)
        .contains("base:allocation")
        .contains("is_read_only: false")
        .contains("can_cache: true")
        .contains("can_df: true")
        .contains("can_fast_zero: true")
        .contains("can_flush: true")
        .contains("can_fua: true")
        .contains("can_multi_conn: true")
        .contains("can_trim: true")
        .contains("can_zero: true")
        .contains("block_size_minimum: 1")
        .contains("block_size_preferred: 4096")
        .contains("block_size_maximum: 33554432");
    assertThat(Program.run("nbdinfo", "--size", uri)).isEqualTo(SIZE + "\n");
    assertThat(Program.run("nbdinfo", "--map", uri)).contains("data");
    String all = "connect read write cache df fast-zero flush fua multi-conn trim zero structured";
    for (String what : all.split(" ")) {
      Program.run("nbdinfo", "--can", what, uri);
    }
    Program.runFailing("nbdinfo", "--can", "write", served.uri("safe"));
    Program.runFailing("nbdinfo", "--can", "connect", served.uri("nothing"));
    Program.run("nbdinfo", "--is", "read-only", served.uri("safe"));
    assertThat(Program.run("nbdinfo", "--list", served.uri("")))
        .contains("export=\"disk\"")
        .contains("export=\"safe\"")
        .contains("is_read_only: true");
  }

  @Test
  void nbdinfoOfWhatIsNotThereFailsWithTheReason() throws IOException {
    assertThat(Program.runFailing("nbdinfo", served.uri("nothing")))
        .contains("No such file or directory for export: nothing");
  }

  // nbdcopy

  @Test
  void nbdcopyCopiesOut() throws IOException {
    Path out = folder.resolve("out");
    for (String connections : new String[] {"1", "8"}) {
      Program.run("nbdcopy", "--connections=" + connections, uri, out);
      assertThat(out).hasBinaryContent(content);
      Files.delete(out);
      Program.run("nbdcopy", "--synchronous", "--connections=" + connections, uri, out);
      assertThat(out).hasBinaryContent(content);
      Files.delete(out);
    }
  }

  @Test
  void nbdcopyCopiesIn() throws IOException {
    byte[] other = new byte[SIZE];
    new Random(2).nextBytes(other);
    // Zeros go over as WRITE_ZEROES.
    System.arraycopy(new byte[SIZE / 4], 0, other, SIZE / 4, SIZE / 4);
    Path in = Files.write(folder.resolve("in"), other);
    for (String[] how :
        new String[][] {
          {"--flush"}, {"--connections=1"}, {"--connections=8", "--allocated"}, {"--synchronous"}
        }) {
      device.write(0, ByteBuffer.wrap(content));
      Object[] arguments = new Object[how.length + 2];
      System.arraycopy(how, 0, arguments, 0, how.length);
      arguments[how.length] = in;
      arguments[how.length + 1] = uri;
      Program.run("nbdcopy", arguments);
      assertThat(now()).as(String.join(" ", how)).isEqualTo(other);
    }
  }

  // qemu

  @Test
  void qemuImgReadsComparesAndConverts() throws IOException {
    assertThat(Program.run("qemu-img", "info", uri)).contains("8 MiB (" + SIZE + " bytes)");
    Path raw = folder.resolve("raw");
    Program.run("qemu-img", "convert", "-f", "raw", "-O", "raw", uri, raw);
    assertThat(raw).hasBinaryContent(content);
    assertThat(Program.run("qemu-img", "compare", "-f", "raw", "-F", "raw", uri, raw))
        .contains("Images are identical");
    Path qcow = folder.resolve("qcow2");
    Program.run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", uri, qcow);
    device.writeZeroes(0, SIZE);
    Program.run("qemu-img", "convert", "-n", "-f", "qcow2", "-O", "raw", qcow, uri);
    assertThat(now()).isEqualTo(content);
    assertThat(Program.run("qemu-img", "map", "--output=json", "-f", "raw", uri))
        .contains("\"data\": true");
    Program.run("qemu-img", "bench", "-f", "raw", "-c", "200", "-d", "16", "-s", "64k", uri);
    Program.run("qemu-img", "bench", "-f", "raw", "-w", "-c", "200", "-d", "16", uri);
  }

  @Test
  void qemuIoWritesPatternsZerosAndDiscards() throws IOException {
    String output =
        Program.run(
            "qemu-io",
            "-f",
            "raw",
            "-c",
            "write -P 0xa5 512 70000",
            "-c",
            "read -P 0xa5 512 70000",
            "-c",
            "write -z 4096 8192",
            "-c",
            "read -P 0 4096 8192",
            "-c",
            "write -f -P 0x5a 1M 2M",
            "-c",
            "read -P 0x5a 1M 2M",
            "-c",
            "write -z -u 3M 1M",
            "-c",
            "read -P 0 3M 1M",
            "-c",
            "discard 5M 1M",
            "-c",
            "flush",
            uri);
    assertThat(output).doesNotContain("failed", "error", "No");
    byte[] now = now();
    assertThat(now[511]).isEqualTo(content[511]);
    assertThat(now[512]).isEqualTo((byte) 0xa5);
    assertThat(now[512 + 70000]).isEqualTo(content[512 + 70000]);
  }

  @Test
  void qemuIoWritesThroughWithForcedUnitAccess() throws IOException {
    Program.run("qemu-io", "-t", "writethrough", "-f", "raw", "-c", "write -P 1 0 64k", uri);
    assertThat(now()[65_535]).isEqualTo((byte) 1);
  }

  @Test
  void errorsReachTheClientAndLeaveTheConnection() throws IOException {
    device.inject(Fault.range(1 << 20, 512, Fault.anything()));
    String output =
        Program.start(
                "qemu-io",
                "-f",
                "raw",
                "-c",
                "read 1M 4096",
                "-c",
                "write 1M 4096",
                "-c",
                "read 0 4096",
                uri)
            .outputAtEnd();
    assertThat(output)
        .contains("read failed: Input/output error")
        .contains("write failed: Input/output error")
        .contains("read 4096/4096 bytes at offset 0");
  }

  @Test
  void writesToAReadOnlyExportAreRefused() throws IOException {
    assertThat(
            Program.runFailing(
                "nbdcopy", Files.write(folder.resolve("in"), content), served.uri("safe")))
        .containsIgnoringCase("read");
    assertThat(
            Program.start("qemu-io", "-f", "raw", "-c", "write 0 512", served.uri("safe"))
                .outputAtEnd())
        .contains("Permission denied");
    assertThat(now()).isEqualTo(content);
  }

  @Test
  void qemuNbdListsTheExports() throws IOException {
    assertThat(Program.run("qemu-nbd", "-L", "-k", served.socket()))
        .contains("exports available: 2")
        .contains("export: 'disk'")
        .contains("description: a disk")
        .contains("base:allocation");
  }

  // fio

  /** fio 3.33 cannot verify what one job reads and writes at random, so there are two. */
  @Test
  void fioVerifiesARandomMixAtDepth32() throws IOException {
    String output =
        Program.run(
            "fio",
            "--ioengine=nbd",
            "--uri=" + uri,
            "--iodepth=32",
            "--size=" + SIZE,
            "--bsrange=512-64k",
            "--randseed=20261130",
            "--name=writes",
            "--rw=randwrite",
            "--verify=crc32c",
            "--verify_fatal=1",
            "--verify_state_save=0",
            "--verify_backlog=64",
            "--fsync=64",
            "--name=reads",
            "--rw=randread",
            "--loops=2");
    assertThat(output).contains("err= 0");
  }

  // The oldest way to connect: a client of the kernel.

  @Test
  void nbdClientListsTheExports() throws IOException {
    assertThat(Program.run("nbd-client", "-l", "-unix", served.socket()))
        .contains("disk")
        .contains("safe");
  }
}
