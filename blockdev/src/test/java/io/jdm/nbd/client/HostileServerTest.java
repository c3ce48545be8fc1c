package io.jdm.nbd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.Command;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.RawClient;
import io.jdm.nbd.Served;
import io.jdm.nbd.TransmissionFlag;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that break the protocol: the caller gets an error that says how, and nothing else. */
@Timeout(120)
class HostileServerTest {
  private static final long SEED = 20261130;
  private static final Map<String, String> AT_ONCE = Map.of("reconnect", "0", "timeout", "5");

  @TempDir Path folder;

  /** What the server sends for the first read, of 4096 bytes at 8192. */
  @FunctionalInterface
  private interface Answer {
    void write(DataOutputStream out, long cookie) throws IOException;
  }

  private void assertViolation(String message, Answer answer) throws IOException {
    try (FakeServer server =
            FakeServer.start(
                folder.resolve("s"),
                (connection, request, in, out) -> answer.write(out, request.cookie()));
        BlockDevice device = NbdDevice.open(server.uri(AT_ONCE), true)) {
      assertThatThrownBy(() -> device.read(8192, ByteBuffer.allocateDirect(4096)))
          .isInstanceOfSatisfying(
              DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
          .hasMessageContaining(message)
          .hasMessageEndingWith(device.describe());
    }
  }

  private static byte[] data(long offset, int length) {
    return ByteBuffer.allocate(8 + length).putLong(offset).array();
  }

  private static byte[] hole(long offset, int length) {
    return ByteBuffer.allocate(12).putLong(offset).putInt(length).array();
  }

  @Test
  void violationsAreNamed() throws IOException {
    assertViolation("reply magic is 0x00000000", (out, cookie) -> out.write(new byte[16]));
    assertViolation("which no request has", (out, cookie) -> FakeServer.simple(out, 0, cookie + 1));
    assertViolation(
        "which no request has", (out, cookie) -> FakeServer.simple(out, 0, cookie + 256));
    assertViolation("expected chunks", (out, cookie) -> FakeServer.simple(out, 0, cookie));
    assertViolation(
        "of the unknown type 3", (out, cookie) -> FakeServer.chunk(out, 1, 3, cookie, data(0, 1)));
    assertViolation(
        "without content has 1 bytes",
        (out, cookie) -> FakeServer.chunk(out, 1, 0, cookie, new byte[1]));
    assertViolation(
        "or is not last", (out, cookie) -> FakeServer.chunk(out, 0, 0, cookie, new byte[0]));
    assertViolation(
        "has 0 bytes, expected 4096",
        (out, cookie) -> FakeServer.chunk(out, 1, 0, cookie, new byte[0]));
    assertViolation(
        "has 4095 bytes, expected 4096",
        (out, cookie) -> FakeServer.chunk(out, 1, 1, cookie, data(8192, 4095)));
    for (long offset : new long[] {0, 8191, 12_288, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertViolation(
          "is outside the request",
          (out, cookie) -> FakeServer.chunk(out, 1, 1, cookie, data(offset, 1)));
      assertViolation(
          "is outside the request",
          (out, cookie) -> FakeServer.chunk(out, 1, 2, cookie, hole(offset, 1)));
    }
    assertViolation(
        "is outside the request",
        (out, cookie) -> FakeServer.chunk(out, 1, 1, cookie, data(8193, 4096)));
    assertViolation(
        "is outside the request",
        (out, cookie) -> FakeServer.chunk(out, 1, 2, cookie, hole(8192, -1)));
    assertViolation(
        "more than the 4096 bytes asked",
        (out, cookie) -> {
          FakeServer.chunk(out, 0, 1, cookie, data(8192, 4096));
          FakeServer.chunk(out, 1, 1, cookie, data(8192, 1));
        });
    for (byte[] malformed : new byte[][] {{}, new byte[8]}) {
      assertViolation(
          "chunk of data is misplaced or malformed",
          (out, cookie) -> FakeServer.chunk(out, 1, 1, cookie, malformed));
      assertViolation(
          "chunk of hole is misplaced or malformed",
          (out, cookie) -> FakeServer.chunk(out, 1, 2, cookie, malformed));
      assertViolation(
          "chunk of block status is misplaced or malformed",
          (out, cookie) -> FakeServer.chunk(out, 1, 5, cookie, new byte[12]));
    }
    assertViolation(
        "chunk of an error is misplaced or malformed",
        (out, cookie) -> FakeServer.chunk(out, 1, 0x8001, cookie, new byte[5]));
    assertViolation(
        "chunk of an error is misplaced or malformed",
        (out, cookie) ->
            FakeServer.chunk(out, 1, 0x8001, cookie, new byte[] {0, 0, 0, 5, 0, 9, 65}));
    assertViolation(
        "chunk of an error is misplaced or malformed",
        (out, cookie) -> FakeServer.chunk(out, 1, 0x8001, cookie, new byte[60_000]));
    assertViolation(
        "the server closed the connection",
        (out, cookie) -> {
          throw new IOException("close");
        });
    assertViolation(
        "connection ended inside",
        (out, cookie) -> {
          out.writeInt(0x668e33ef);
          throw new IOException("close");
        });
  }

  @Test
  void errorsWithTextReachTheCaller() throws IOException {
    for (int type : new int[] {0x8001, 0x8002, 0x8fff}) {
      byte[] payload =
          RawClient.bytes(
              out -> {
                out.writeInt(28);
                out.writeShort(6);
                out.writeBytes("no\nway");
                if (type == 0x8002) {
                  out.writeLong(8192);
                }
              });
      try (FakeServer server =
              FakeServer.start(
                  folder.resolve("s"),
                  (connection, request, in, out) -> {
                    FakeServer.chunk(out, 0, 1, request.cookie(), data(8192, 512));
                    FakeServer.chunk(out, 1, type, request.cookie(), payload);
                  });
          BlockDevice device = NbdDevice.open(server.uri(AT_ONCE), true)) {
        for (int i = 0; i < 3; i++) {
          assertThatThrownBy(() -> device.read(8192, ByteBuffer.allocate(4096)))
              .isInstanceOfSatisfying(
                  DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC))
              .hasMessageContaining("no?way");
        }
        assertThat(server.connections()).as("the connection lives on").isEqualTo(1);
      }
    }
  }

  @Test
  void chunksAndHolesMayComeInAnyOrder() throws IOException {
    byte[] text = {8, 1, 2, 3, 4, 5, 6, 7};
    try (FakeServer server =
            FakeServer.start(
                folder.resolve("s"),
                (connection, request, in, out) -> {
                  long at = request.offset();
                  FakeServer.chunk(out, 0, 2, request.cookie(), hole(at + 2048, 2000));
                  byte[] last = data(at + 4048, 48);
                  last[8] = 9;
                  FakeServer.chunk(out, 0, 1, request.cookie(), last);
                  FakeServer.chunk(out, 0, 2, request.cookie(), hole(at + 8, 2040));
                  byte[] first = data(at, 8);
                  System.arraycopy(text, 0, first, 8, 8);
                  FakeServer.chunk(out, 1, 1, request.cookie(), first);
                });
        BlockDevice device = NbdDevice.open(server.uri(AT_ONCE), true)) {
      ByteBuffer heap = ByteBuffer.allocate(4096 + 10);
      Arrays.fill(heap.array(), (byte) 0xee);
      device.read(8192, heap.position(5).limit(4101));
      byte[] expected = new byte[4096];
      System.arraycopy(text, 0, expected, 0, 8);
      expected[4048] = 9;
      assertThat(Arrays.copyOfRange(heap.array(), 5, 4101)).isEqualTo(expected);
      assertThat(heap.array()[4]).isEqualTo((byte) 0xee);
      assertThat(heap.array()[4101]).isEqualTo((byte) 0xee);
    }
  }

  @Test
  void aServerThatSaysNothingIsGivenUp() throws IOException {
    try (FakeServer server =
            FakeServer.start(folder.resolve("s"), (connection, request, in, out) -> {});
        BlockDevice device =
            NbdDevice.open(server.uri(Map.of("reconnect", "0", "timeout", "1")), true)) {
      assertThatThrownBy(() -> device.read(0, ByteBuffer.allocate(512)))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining("no byte moved for 1000 ms");
    }
  }

  /** A wire between client and server that changes some of what the server sends. */
  private static final class NoisyWire implements AutoCloseable {
    private final ServerSocketChannel listener =
        ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    private final Path socket;
    private final Path server;
    private final Random random;

    NoisyWire(Path socket, Path server, long seed) throws IOException {
      this.socket = socket;
      this.server = server;
      this.random = new Random(seed);
      listener.bind(UnixDomainSocketAddress.of(socket));
      start(this::accept);
    }

    NbdUri uri() {
      Map<String, String> parameters = Map.of("reconnect", "0", "timeout", "1");
      return new NbdUri(false, "", 0, socket.toString(), "", parameters);
    }

    private void start(Runnable task) {
      Thread thread = new Thread(task, "wire");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      try {
        while (true) {
          SocketChannel client = listener.accept();
          SocketChannel upstream = SocketChannel.open(UnixDomainSocketAddress.of(server));
          start(() -> pump(client, upstream, false));
          start(() -> pump(upstream, client, true));
        }
      } catch (IOException e) {
        // Closed.
      }
    }

    private void pump(SocketChannel from, SocketChannel to, boolean noisy) {
      ByteBuffer buffer = ByteBuffer.allocate(8192);
      try (from;
          to) {
        while (from.read(buffer.clear()) >= 0) {
          buffer.flip();
          if (noisy) {
            synchronized (random) {
              if (random.nextInt(12) == 0) {
                int at = random.nextInt(Math.min(64, buffer.limit()));
                buffer.put(at, (byte) random.nextInt());
              }
              if (random.nextInt(60) == 0) {
                return;
              }
            }
          }
          while (buffer.hasRemaining()) {
            to.write(buffer);
          }
        }
      } catch (IOException e) {
        // One side left.
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
      Files.deleteIfExists(socket);
    }
  }

  @Test
  void noBytesOfAServerDoMoreThanFailTheRequest() throws IOException {
    try (Served served = Served.device(MemoryDevice.ofSize(1 << 20));
        NoisyWire wire = new NoisyWire(folder.resolve("noisy"), served.socket(), SEED)) {
      Random random = new Random(SEED);
      int failures = 0;
      for (int round = 0; round < 100; round++) {
        try (BlockDevice device = NbdDevice.open(wire.uri(), true)) {
          for (int i = 0; i < 20; i++) {
            int length = 1 + random.nextInt(20_000);
            ByteBuffer buffer = ByteBuffer.allocateDirect(length);
            if (random.nextBoolean()) {
              device.read(random.nextInt(1 << 19), buffer);
            } else {
              device.write(random.nextInt(1 << 19), buffer);
            }
          }
          device.flush();
        } catch (DeviceException e) {
          assertThat(e.getMessage()).as("seed %d", SEED).isNotBlank();
          failures++;
        }
      }
      assertThat(failures).as("the wire is noisy").isPositive();
    }
  }

  @Test
  void commandsThatTheServerDoesNotTakeAreNotSent() throws IOException {
    try (FakeServer server =
            FakeServer.start(
                folder.resolve("s"),
                FakeServer.SIZE,
                EnumSet.of(TransmissionFlag.HAS_FLAGS),
                (connection, request, in, out) -> {
                  if (request.command() != Command.WRITE || request.flags() != 0) {
                    throw new IOException("not asked for");
                  }
                  in.skipNBytes(request.length());
                  FakeServer.simple(out, 0, request.cookie());
                });
        BlockDevice device = NbdDevice.open(server.uri(AT_ONCE), true)) {
      device.write(0, ByteBuffer.allocate(512));
      device.writeFua(0, ByteBuffer.allocate(512));
      device.flush();
      device.writeZeroes(0, 100_000);
      assertThatThrownBy(() -> device.discard(0, 512))
          .isInstanceOfSatisfying(
              DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP));
    }
  }
}
