package io.jdm.nbd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.TableText;
import io.jdm.nbd.Command;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.server.Export;
import io.jdm.nbd.server.NbdServer;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers that go away and come back. */
@Timeout(120)
class ReconnectTest {
  private static final int SIZE = 1 << 20;

  @TempDir Path folder;

  private final MemoryDevice memory = MemoryDevice.ofSize(SIZE);
  private final List<NbdServer> servers = new ArrayList<>();

  private NbdServer serve(BlockDevice device) throws IOException {
    NbdServer server = NbdServer.builder().export(Export.of("", device)).build();
    server.listenUnix(folder.resolve("s"));
    servers.add(server);
    return server;
  }

  private NbdUri uri(int reconnect) {
    return new NbdUri(
        false,
        "",
        0,
        folder.resolve("s").toString(),
        "",
        Map.of("reconnect", String.valueOf(reconnect)));
  }

  @AfterEach
  void closeServers() throws IOException {
    for (NbdServer server : servers) {
      server.close();
    }
  }

  private static ByteBuffer block(int fill) {
    ByteBuffer block = ByteBuffer.allocate(512);
    while (block.hasRemaining()) {
      block.put((byte) fill);
    }
    return block.flip();
  }

  private static byte read(BlockDevice device, long offset) throws IOException {
    ByteBuffer block = ByteBuffer.allocate(512);
    device.read(offset, block);
    return block.get(0);
  }

  private static void assertEio(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
        .hasMessageContaining(message);
  }

  @Test
  void requestsGoOnWithAServerThatWasRestarted() throws IOException {
    NbdServer server = serve(memory);
    try (BlockDevice device = NbdDevice.open(uri(30), true)) {
      device.write(0, block(1));
      device.flush();
      for (int i = 0; i < 5; i++) {
        server.close();
        server = serve(memory);
        assertThat(read(device, 0)).isEqualTo((byte) 1);
        server.close();
        server = serve(memory);
        device.writeFua(512, block(2));
        server.close();
        server = serve(memory);
        device.flush();
      }
    }
  }

  @Test
  void aFlushTellsOnceThatWritesMayBeLost() throws IOException {
    NbdServer server = serve(memory);
    try (BlockDevice device = NbdDevice.open(uri(30), true)) {
      device.write(0, block(1));
      server.close();
      serve(memory);
      assertEio("may have lost writes", device::flush);
      device.write(0, block(1));
      device.flush();
    }
  }

  @Test
  void aLossIsRememberedUntilTheNextFlush() throws IOException {
    NbdServer server = serve(memory);
    try (BlockDevice device = NbdDevice.open(uri(30), true)) {
      device.write(0, block(1));
      server.close();
      serve(memory);
      assertThat(read(device, 0)).isEqualTo((byte) 1);
      device.write(512, block(2));
      assertEio("may have lost writes", device::flush);
      device.flush();
    }
  }

  @Test
  void aServerThatIsGoneIsAnErrorAndWorksAgainWhenItIsBack() throws IOException {
    NbdServer server = serve(memory);
    try (BlockDevice device = NbdDevice.open(uri(0), true)) {
      device.write(0, block(1));
      device.flush();
      server.close();
      assertEio("", () -> read(device, 0));
      assertEio("the server is gone", () -> read(device, 0));
      assertEio("the server is gone", () -> device.write(0, block(2)));
      assertEio("the server is gone", device::flush);
      serve(memory);
      await().ignoreExceptions().until(() -> read(device, 0) == (byte) 1);
      device.write(0, block(3));
      device.flush();
      assertThat(read(memory, 0)).isEqualTo((byte) 3);
    }
  }

  @Test
  void anExportThatIsNotTheSameAnyMoreIsNotUsed() throws IOException {
    NbdServer server = serve(memory);
    try (BlockDevice device = NbdDevice.open(uri(0), true)) {
      server.close();
      NbdServer other = serve(MemoryDevice.ofSize(SIZE / 2));
      assertEio("", () -> read(device, 0));
      assertEio("not the same any more", () -> read(device, 0));
      other.close();
      serve(memory);
      await().ignoreExceptions().until(() -> read(device, 0) == (byte) 0);
    }
  }

  @Test
  void requestsWithoutAnAnswerAreSentAgainOnANewConnection() throws IOException {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    try (FakeServer server =
            FakeServer.start(
                folder.resolve("s"),
                (connection, request, in, out) -> {
                  if (request.command() == Command.DISC) {
                    return;
                  }
                  seen.add(connection + ":" + request.command());
                  if (request.command() == Command.WRITE) {
                    in.skipNBytes(request.length());
                  }
                  if (connection % 2 == 1) {
                    throw new IOException("lose the connection");
                  }
                  if (request.command() == Command.READ) {
                    byte[] payload = ByteBuffer.allocate(520).putLong(request.offset()).array();
                    FakeServer.chunk(out, 1, 1, request.cookie(), payload);
                    throw new IOException("lose the connection");
                  }
                  FakeServer.simple(out, 0, request.cookie());
                });
        BlockDevice device = NbdDevice.open(server.uri(Map.of("reconnect", "30")), true)) {
      device.read(0, ByteBuffer.allocate(512));
      device.write(0, block(1));
      device.flush();
    }
    assertThat(seen).containsExactly("1:READ", "2:READ", "3:WRITE", "4:WRITE", "4:FLUSH");
  }

  @Test
  void aServerThatDropsEveryRequestIsGivenUp() throws IOException {
    try (FakeServer server =
            FakeServer.start(
                folder.resolve("s"),
                (connection, request, in, out) -> {
                  throw new IOException("never");
                });
        BlockDevice device = NbdDevice.open(server.uri(Map.of("reconnect", "1")), true)) {
      assertEio("closed the connection", () -> read(device, 0));
      assertThat(server.connections()).isGreaterThan(1);
    }
  }

  @Test
  void aServerThatShutsDownIsLeft() throws IOException {
    try (FakeServer server =
            FakeServer.start(
                folder.resolve("s"),
                (connection, request, in, out) ->
                    FakeServer.simple(out, connection == 1 ? 108 : 0, request.cookie()));
        BlockDevice device = NbdDevice.open(server.uri(Map.of("reconnect", "30")), true)) {
      device.flush();
      assertThat(server.connections()).isEqualTo(2);
    }
  }

  @Test
  void closingEndsRequestsThatWaitForAServer() throws Exception {
    NbdServer server = serve(memory);
    BlockDevice device = NbdDevice.open(uri(3600), true);
    server.close();
    Threads.runTogether(
        4,
        thread -> {
          if (thread == 0) {
            Thread.yield();
            device.close();
          } else {
            assertThatThrownBy(() -> read(device, 0)).isInstanceOf(DeviceException.class);
          }
        });
  }

  @Test
  void manyThreadsSurviveRestarts() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    NbdServer first = serve(memory);
    try (BlockDevice device = NbdDevice.open(uri(30), true)) {
      Threads.runTogether(
          5,
          thread -> {
            if (thread == 0) {
              NbdServer server = first;
              for (int i = 0; i < 20; i++) {
                server.close();
                server = serve(memory);
              }
              stop.set(true);
              return;
            }
            Random random = new Random(thread);
            int area = SIZE / 4 * (thread - 1);
            byte[] model = new byte[SIZE / 4 / 512];
            while (!stop.get()) {
              int i = random.nextInt(model.length);
              if (random.nextBoolean()) {
                model[i] = (byte) random.nextInt();
                device.write(area + i * 512L, block(model[i]));
              } else {
                assertThat(read(device, area + i * 512L)).isEqualTo(model[i]);
              }
            }
          });
    }
  }

  @Test
  void aStripeOverTwoServersWorksOnWhenOneIsBack() throws IOException {
    Path otherSocket = folder.resolve("other");
    try (NbdServer other =
            NbdServer.builder().export(Export.of("", MemoryDevice.ofSize(SIZE))).build();
        DeviceMapper mapper = DeviceMapper.builder().build()) {
      other.listenUnix(otherSocket);
      NbdServer server = serve(memory);
      String table =
          "0 "
              + 2 * SIZE / 512
              + " striped 2 8 "
              + uri(0)
              + " 0 "
              + NbdUri.unix(otherSocket.toString(), "")
              + " 0";
      mapper.create(DeviceDefinition.of("stripe", TableText.parse(table)));
      try (BlockDevice device = mapper.open(DeviceId.named("stripe"), true)) {
        device.write(0, block(1));
        device.write(4096, block(2));
        device.flush();
        server.close();
        assertEio("", () -> read(device, 0));
        assertThat(read(device, 4096)).as("the other leg").isEqualTo((byte) 2);
        serve(memory);
        await().ignoreExceptions().until(() -> read(device, 0) == (byte) 1);
        device.write(0, block(3));
        device.flush();
      }
    }
    assertThat(read(memory, 0)).isEqualTo((byte) 3);
  }
}
