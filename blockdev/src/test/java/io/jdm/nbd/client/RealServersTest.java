package io.jdm.nbd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.server.Export;
import io.jdm.nbd.server.NbdServer;
import io.jdm.testing.Program;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Our client against the servers that people run. */
@Timeout(120)
class RealServersTest {
  private static final int SIZE = 8 << 20;

  @TempDir Path folder;

  private final List<Program> servers = new ArrayList<>();

  private NbdUri nbdkit(Object... arguments) throws IOException {
    Path socket = folder.resolve("nbdkit" + servers.size());
    List<Object> all =
        new ArrayList<>(List.of("-f", "--exit-with-parent", "-U", socket.toString()));
    all.addAll(Arrays.asList(arguments));
    return started("nbdkit", socket, all);
  }

  private NbdUri qemuNbd(Object... arguments) throws IOException {
    Path socket = folder.resolve("qemu" + servers.size());
    List<Object> all = new ArrayList<>(List.of("-t", "-e", "8", "-k", socket.toString()));
    all.addAll(Arrays.asList(arguments));
    return started("qemu-nbd", socket, all);
  }

  private NbdUri started(String name, Path socket, List<Object> arguments) throws IOException {
    Program server = Program.start(name, arguments.toArray());
    servers.add(server);
    await()
        .until(
            () -> {
              assertThat(server.isRunning()).as(server.output()).isTrue();
              return Files.exists(socket);
            });
    return NbdUri.unix(socket.toString(), "");
  }

  @AfterEach
  void stopServers() {
    servers.forEach(Program::close);
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(BlockDevice device, long offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(length);
    device.read(offset, buffer);
    byte[] bytes = new byte[length];
    buffer.flip().get(bytes);
    return bytes;
  }

  /** A random walk of all operations on several threads, each in its own part. */
  private static void exercise(BlockDevice device) throws Exception {
    int parts = 4;
    int part = SIZE / parts;
    Threads.runTogether(
        parts,
        thread -> {
          Random random = new Random(thread);
          byte[] model = random(part, thread);
          long base = (long) thread * part;
          device.write(base, ByteBuffer.wrap(model));
          for (int step = 0; step < 60; step++) {
            int offset = random.nextInt(part / 512) * 512;
            int length = (1 + random.nextInt(Math.min(400, (part - offset) / 512))) * 512;
            switch (random.nextInt(5)) {
              case 0 -> {
                byte[] data = random(length, step);
                device.write(base + offset, ByteBuffer.wrap(data));
                System.arraycopy(data, 0, model, offset, length);
              }
              case 1 -> {
                byte[] data = random(length, step);
                device.writeFua(base + offset, ByteBuffer.allocateDirect(length).put(data).flip());
                System.arraycopy(data, 0, model, offset, length);
              }
              case 2 -> {
                device.writeZeroes(base + offset, length);
                Arrays.fill(model, offset, offset + length, (byte) 0);
              }
              case 3 -> {
                if (device.capabilities().contains(Capability.DISCARD)) {
                  device.discard(base + offset, length);
                  byte[] now = read(device, base + offset, length);
                  System.arraycopy(now, 0, model, offset, length);
                } else {
                  device.flush();
                }
              }
              default ->
                  assertThat(read(device, base + offset, length))
                      .isEqualTo(Arrays.copyOfRange(model, offset, offset + length));
            }
          }
          device.flush();
          assertThat(read(device, base, part)).isEqualTo(model);
        });
  }

  @Test
  void nbdkitMemory() throws Exception {
    try (NbdDevice device = NbdDevice.open(nbdkit("memory", SIZE), true)) {
      assertThat(device.size()).isEqualTo(SIZE);
      exercise(device);
    }
  }

  @Test
  void nbdkitFile() throws Exception {
    byte[] content = random(SIZE, 1);
    Path file = Files.write(folder.resolve("file"), content);
    try (NbdDevice device = NbdDevice.open(nbdkit("file", file), true)) {
      assertThat(read(device, 0, SIZE)).isEqualTo(content);
      exercise(device);
      byte[] now = read(device, 0, SIZE);
      device.flush();
      assertThat(file).hasBinaryContent(now);
    }
  }

  @Test
  void nbdkitCopyOnWriteAndDelay() throws Exception {
    byte[] content = random(SIZE, 1);
    Path file = Files.write(folder.resolve("file"), content);
    NbdUri uri = nbdkit("--filter=cow", "--filter=delay", "file", file, "rdelay=1ms", "wdelay=1ms");
    try (NbdDevice device = NbdDevice.open(uri, true)) {
      assertThat(read(device, 0, SIZE)).isEqualTo(content);
      exercise(device);
    }
    assertThat(file).hasBinaryContent(content);
  }

  @Test
  void nbdkitWithoutStructuredRepliesOrWithoutGo() throws Exception {
    try (NbdDevice device = NbdDevice.open(nbdkit("--no-sr", "memory", SIZE), true)) {
      exercise(device);
    }
    try (NbdDevice device = NbdDevice.open(nbdkit("--mask-handshake=0", "memory", SIZE), true)) {
      exercise(device);
    }
  }

  @Test
  void nbdkitThatFailsNowAndThen() throws IOException {
    NbdUri uri = nbdkit("--filter=error", "memory", SIZE, "error-rate=50%", "error=ENOSPC");
    try (NbdDevice device = NbdDevice.open(uri, true)) {
      int failures = 0;
      for (int i = 0; i < 100; i++) {
        byte[] data = random(4096, i);
        try {
          device.write(4096L * i, ByteBuffer.wrap(data));
          assertThat(readUntilItWorks(device, 4096L * i)).isEqualTo(data);
        } catch (DeviceException e) {
          assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
          assertThat(e).hasMessageEndingWith(device.describe());
          failures++;
        }
      }
      assertThat(failures).isBetween(1, 99);
    }
  }

  private static byte[] readUntilItWorks(BlockDevice device, long offset) throws IOException {
    DeviceException last = null;
    for (int i = 0; i < 100; i++) {
      try {
        return read(device, offset, 4096);
      } catch (DeviceException e) {
        last = e;
      }
    }
    throw last;
  }

  @Test
  void nbdkitReadOnly() throws IOException {
    NbdUri uri = nbdkit("-r", "memory", SIZE);
    assertThatThrownBy(() -> NbdDevice.open(uri, true))
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EROFS));
    try (NbdDevice device = NbdDevice.open(uri, false)) {
      assertThat(read(device, 0, 4096)).containsOnly(0);
    }
  }

  @Test
  void nbdkitWithLargeBlocks() throws Exception {
    NbdUri uri =
        nbdkit(
            "--filter=blocksize-policy",
            "memory",
            SIZE,
            "blocksize-minimum=4096",
            "blocksize-preferred=65536",
            "blocksize-maximum=1M",
            "blocksize-error-policy=error");
    try (NbdDevice device = NbdDevice.open(uri, true)) {
      assertThat(device.limits().logicalBlockSize()).isEqualTo(4096);
      assertThat(device.limits().preferredIoSize()).isEqualTo(65_536);
      assertThat(device.limits().maximumIoSize()).isEqualTo(1 << 20);
      byte[] content = random(SIZE, 1);
      device.write(0, ByteBuffer.wrap(content));
      assertThat(read(device, 0, SIZE)).isEqualTo(content);
    }
  }

  @Test
  void ourServerOverTcp() throws Exception {
    try (NbdServer server =
        NbdServer.builder().export(Export.of("", MemoryDevice.ofSize(SIZE))).build()) {
      NbdUri uri = server.listenTcp(new InetSocketAddress("localhost", 0), false);
      try (NbdDevice device = NbdDevice.open(uri, true)) {
        exercise(device);
      }
    }
  }

  @Test
  void qemuNbdRawAndQcow2() throws Exception {
    Path raw = Files.write(folder.resolve("raw"), new byte[SIZE]);
    try (NbdDevice device = NbdDevice.open(qemuNbd("-f", "raw", "--discard=unmap", raw), true)) {
      exercise(device);
      byte[] now = read(device, 0, SIZE);
      device.flush();
      assertThat(raw).hasBinaryContent(now);
    }
    Path qcow = folder.resolve("qcow2");
    Program.run("qemu-img", "create", "-f", "qcow2", qcow, SIZE);
    try (NbdDevice device = NbdDevice.open(qemuNbd("-f", "qcow2", qcow), true)) {
      exercise(device);
    }
  }

  @Test
  void qemuNbdWithAnExportName() throws Exception {
    Path raw = Files.write(folder.resolve("raw"), random(SIZE, 3));
    NbdUri uri = qemuNbd("-f", "raw", "-x", "a disk/ü", raw);
    assertThatThrownBy(() -> NbdDevice.open(uri, true))
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
    String spec = NbdUri.unix(uri.socket(), "a disk/ü").toString();
    DeviceSpecs specs = new DeviceSpecs(List.of());
    assertThat(specs.canonicalName(spec)).isEqualTo(spec);
    try (BlockDevice device = specs.open(spec, true)) {
      assertThat(read(device, 0, SIZE)).isEqualTo(random(SIZE, 3));
    }
  }

  @Test
  void aServerThatIsKilledAndStartedAgain() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[SIZE]);
    NbdUri uri = nbdkit("file", file);
    try (NbdDevice device = NbdDevice.open(uri, true)) {
      device.write(0, ByteBuffer.wrap(random(4096, 1)));
      device.flush();
      servers.remove(0).close();
      Files.delete(Path.of(uri.socket()));
      nbdkit("file", file);
      assertThat(read(device, 0, 4096)).isEqualTo(random(4096, 1));
      device.write(4096, ByteBuffer.wrap(random(4096, 2)));
      servers.remove(0).close();
      Files.delete(Path.of(uri.socket()));
      nbdkit("file", file);
      assertThatThrownBy(device::flush).hasMessageContaining("may have lost writes");
    }
  }

  @Test
  void whatIsNotThereIsSaid() {
    NbdUri none = NbdUri.unix(folder.resolve("none").toString(), "");
    assertThatThrownBy(() -> NbdDevice.open(none, true))
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessage("cannot connect: No such file or directory: NBD export " + none);
    assertThatThrownBy(() -> NbdDevice.open(NbdUri.tcp(false, "127.0.0.1", 1, ""), true))
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENXIO))
        .hasMessageContaining("Connection refused");
    assertThatThrownBy(() -> NbdDevice.open(NbdUri.tcp(false, "no.such.host.invalid", 1, ""), true))
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENXIO))
        .hasMessageContaining("unknown host");
    for (String name : new String[] {"connections", "reconnect", "timeout"}) {
      for (String value : new String[] {"", "x", "-1", "99999999"}) {
        NbdUri uri = new NbdUri(false, "localhost", 1, "", "", Map.of(name, value));
        assertThatThrownBy(() -> NbdDevice.open(uri, true))
            .isInstanceOfSatisfying(
                DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
            .hasMessageStartingWith(name + " is '" + value + "'");
      }
    }
  }
}
