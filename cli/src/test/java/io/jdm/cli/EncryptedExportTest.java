package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.TableText;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.client.NbdDevice;
import io.jdm.testing.Program;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted devices over NBD from end to end: with the tools of others, killed, and striped. */
@Timeout(300)
class EncryptedExportTest {
  private static final int SECTOR = 512;
  private static final int SIZE = 16 << 20;
  private static final int LUKS1_PAYLOAD = 4096 * SECTOR;

  /** 50 with the profile soak; each takes the start of a JVM. */
  private static final int KILLS = Integer.getInteger("jdm.kills", 4);

  @TempDir Path folder;

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private Path key() throws IOException {
    return Files.write(folder.resolve("key"), random(64, 1));
  }

  /**
   * cryptsetup makes a LUKS image, a tree of files goes into it through our encrypted export, and
   * qemu, who knows nothing of us, opens it with the passphrase.
   */
  @Test
  void aTreeOfFilesIsReadByQemusLuks() throws IOException {
    Path disk = folder.resolve("disk");
    Path password = Files.writeString(folder.resolve("password"), "passphrase");
    Path key = key();
    Program.run("truncate", "-s", LUKS1_PAYLOAD + SIZE, disk);
    Program.run(
        "cryptsetup",
        "-q",
        "luksFormat",
        "--type=luks1",
        "--cipher=aes-xts-plain64",
        "--key-size=512",
        "--pbkdf-force-iterations=1000",
        "--volume-key-file=" + key,
        disk,
        password);
    Path tree = folder.resolve("tree");
    for (int i = 0; i < 40; i++) {
      Path file = tree.resolve("folder" + i % 7).resolve("file" + i);
      Files.createDirectories(file.getParent());
      Files.write(file, random(1 + 3331 * i, i));
    }
    Path plain = folder.resolve("plain");
    Program.run("truncate", "-s", SIZE, plain);
    Program.run("mke2fs", "-q", "-t", "ext4", "-d", tree, plain);

    Requirement.tool("nbdcopy");
    String table =
        "0 %d crypt aes-xts-plain64 @%s 0 %s %d"
            .formatted(SIZE / SECTOR, key, disk, LUKS1_PAYLOAD / SECTOR);
    InProcess jdm =
        InProcess.jdm("serve", table, "--run", "nbdcopy --flush '" + plain + "' \"$uri\"");
    assertThat(jdm.code()).as(jdm.err()).isZero();

    Path opened = folder.resolve("opened");
    Program.run(
        "qemu-img",
        "convert",
        "--object",
        "secret,id=s0,file=" + password,
        "--image-opts",
        "driver=luks,key-secret=s0,file.driver=file,file.filename=" + disk,
        "-O",
        "raw",
        opened);
    assertThat(Files.mismatch(opened, plain)).isEqualTo(-1);
    Program.run("e2fsck", "-fn", opened);
    Path dump = Files.createDirectory(folder.resolve("dump"));
    Program.run("debugfs", "-R", "rdump / " + dump, opened);
    Program.run("diff", "-r", "-x", "lost+found", tree, dump);
  }

  /** Each sector holds a version number; what was answered is there after the server is killed. */
  @Test
  void whatWasAnsweredSurvivesTheServerBeingKilled() throws Exception {
    long seed = 20261201;
    Random random = new Random(seed);
    int sectors = 256;
    Path disk = Files.write(folder.resolve("disk"), new byte[sectors * SECTOR]);
    String table = "0 " + sectors + " crypt aes-xts-plain64 @" + key() + " 0 " + disk + " 0";
    Path jdm = Distribution.in(folder);
    AtomicIntegerArray answered = new AtomicIntegerArray(sectors);
    int[] version = new int[sectors];
    for (int kill = 0; kill < KILLS; kill++) {
      Path socket = folder.resolve("sock" + kill);
      int writes = 1 + random.nextInt(200);
      try (Program server = Program.start("sh", jdm, "serve", table, "-U", socket)) {
        await().until(() -> Files.exists(socket));
        NbdUri uri = NbdUri.parse("nbd+unix:///?reconnect=0&socket=" + socket);
        try (NbdDevice device = NbdDevice.open(uri, true)) {
          Thread killer = killer(server, answered, writes);
          answered(answered, 0);
          killer.start();
          writeUntilLost(device, random, version, answered);
          killer.join();
        }
      }
      try (DeviceMapper mapper = DeviceMapper.builder().build()) {
        mapper.create(DeviceDefinition.of("c", TableText.parse(table)));
        try (BlockDevice device = mapper.open(DeviceId.named("c"), false)) {
          ByteBuffer content = ByteBuffer.allocate(sectors * SECTOR);
          device.read(0, content);
          for (int i = 0; i < sectors; i++) {
            int found = content.getInt(i * SECTOR);
            if (answered.get(i) > 0) {
              assertThat(found)
                  .as("seed %d, kill %d, sector %d", seed, kill, i)
                  .isGreaterThanOrEqualTo(answered.get(i));
            }
          }
        }
      }
    }
  }

  /** Ends the server with SIGKILL when so many sectors were written. */
  private static Thread killer(Program server, AtomicIntegerArray answered, int writes) {
    return new Thread(
        () -> {
          while (sum(answered) < writes) {
            Thread.onSpinWait();
          }
          server.close();
        });
  }

  private static int sum(AtomicIntegerArray versions) {
    int written = 0;
    for (int i = 0; i < versions.length(); i++) {
      written += versions.get(i) > 0 ? 1 : 0;
    }
    return written;
  }

  private static void answered(AtomicIntegerArray answered, int version) {
    for (int i = 0; i < answered.length(); i++) {
      answered.set(i, version);
    }
  }

  private static void writeUntilLost(
      BlockDevice device, Random random, int[] version, AtomicIntegerArray answered) {
    try {
      while (true) {
        int sector = random.nextInt(version.length);
        int next = ++version[sector];
        ByteBuffer data = ByteBuffer.allocateDirect(SECTOR).putInt(next).clear();
        if (random.nextInt(4) == 0) {
          device.writeFua((long) sector * SECTOR, data);
        } else {
          device.write((long) sector * SECTOR, data);
        }
        answered.set(sector, next);
      }
    } catch (IOException e) {
      assertThat(e).isInstanceOf(DeviceException.class);
    }
  }

  /** A leg of a stripe goes and comes back: its sectors fail meanwhile, the others do not. */
  @Test
  void anEncryptedStripeOverTwoServersWorksOnWhenOneIsBack() throws IOException {
    String[] uris = new String[2];
    Path[] sockets = new Path[2];
    Path[] files = new Path[2];
    for (int i = 0; i < 2; i++) {
      files[i] = Files.write(folder.resolve("leg" + i), new byte[1 << 20]);
      sockets[i] = folder.resolve("sock" + i);
      uris[i] = "nbd+unix:///?reconnect=0&socket=" + sockets[i];
    }
    try (Program first = nbdkit(sockets[0], files[0]);
        DeviceMapper mapper = DeviceMapper.builder().build()) {
      Program second = nbdkit(sockets[1], files[1]);
      try {
        mapper.create(
            DeviceDefinition.of(
                "stripe",
                TableText.parse("0 4096 striped 2 8 %s 0 %s 0".formatted(uris[0], uris[1]))));
        mapper.create(
            DeviceDefinition.of(
                "c",
                TableText.parse(
                    "0 4096 crypt aes-xts-plain64 @%s 0 /dev/mapper/stripe 0".formatted(key()))));
        try (BlockDevice device = mapper.open(DeviceId.named("c"), true)) {
          byte[] content = random(2 << 20, 5);
          device.write(0, ByteBuffer.wrap(content));
          device.flush();
          second.close();
          assertThatThrownBy(() -> device.read(4096, ByteBuffer.allocate(4096)))
              .isInstanceOfSatisfying(
                  DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
              .hasMessageContaining(sockets[1].toString());
          assertThat(first.isRunning()).isTrue();
          ByteBuffer leg = ByteBuffer.allocate(4096);
          device.read(0, leg);
          assertThat(leg.array()).isEqualTo(java.util.Arrays.copyOf(content, 4096));

          Files.delete(sockets[1]);
          second = nbdkit(sockets[1], files[1]);
          ByteBuffer all = ByteBuffer.allocate(content.length);
          await()
              .ignoreExceptions()
              .until(
                  () -> {
                    device.read(0, all.clear());
                    return true;
                  });
          assertThat(all.array()).isEqualTo(content);
          device.write(0, ByteBuffer.wrap(random(2 << 20, 6)));
          device.flush();
          device.read(0, all.clear());
          assertThat(all.array()).isEqualTo(random(2 << 20, 6));
        }
      } finally {
        second.close();
      }
    }
  }

  private static Program nbdkit(Path socket, Path file) throws IOException {
    Program server =
        Program.start("nbdkit", "-f", "--exit-with-parent", "-U", socket, "file", file);
    await().until(() -> Files.exists(socket));
    return server;
  }
}
