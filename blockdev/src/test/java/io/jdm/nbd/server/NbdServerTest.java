package io.jdm.nbd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.RawClient;
import io.jdm.nbd.Served;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Listening, exports, and the limits of what clients can have. */
@Timeout(60)
class NbdServerTest {
  private static final int SIZE = 1 << 20;

  @TempDir Path folder;

  private static NbdServer server() {
    return NbdServer.builder().export(Export.of("disk", MemoryDevice.ofSize(SIZE))).build();
  }

  private static void assertServes(Path socket) throws IOException {
    try (RawClient client = RawClient.transmitting(socket, true)) {
      client.request(0, 0, 1, 0, 512);
      assertThat(client.chunk().type()).isEqualTo(1);
    }
  }

  // Where it listens.

  @Test
  void aUnixSocketIsItsOwnersAndGoesWithTheServer() throws IOException {
    Path socket = folder.resolve("sock");
    try (NbdServer server = server()) {
      NbdUri uri = server.listenUnix(socket);
      assertThat(uri).hasToString("nbd+unix:///disk?socket=" + socket);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
          .isEqualTo("rw-------");
      assertThat(folder.toFile().list()).containsExactly("sock");
      assertServes(socket);
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aSocketThatNobodyListensOnIsReplaced() throws IOException {
    Path socket = folder.resolve("sock");
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socket));
    }
    try (NbdServer server = server()) {
      server.listenUnix(socket);
      assertServes(socket);
    }
  }

  @Test
  void whatElseIsThereStaysThere() throws IOException {
    Path socket = folder.resolve("sock");
    Path file = Files.writeString(folder.resolve("file"), "precious");
    try (NbdServer first = server();
        NbdServer second = server()) {
      first.listenUnix(socket);
      for (Path taken : List.of(socket, file, folder)) {
        DeviceException refusal =
            catchThrowableOfType(DeviceException.class, () -> second.listenUnix(taken));
        assertThat(refusal.errno()).isEqualTo(Errno.EBUSY);
        assertThat(refusal).hasMessageEndingWith(taken.toString());
      }
      assertServes(socket);
    }
    assertThat(file).hasContent("precious");
  }

  @Test
  void tcpListensOnLoopbackOnly() throws IOException {
    try (NbdServer server = server()) {
      NbdUri uri =
          server.listenTcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), false);
      assertThat(uri.host()).isEqualTo("localhost");
      assertThat(uri.port()).isPositive();
      try (SocketChannel client =
          SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), uri.port()))) {
        assertThat(client.isConnected()).isTrue();
      }
      InetSocketAddress everywhere =
          new InetSocketAddress(InetAddress.getByAddress(new byte[4]), 0);
      DeviceException refusal =
          catchThrowableOfType(DeviceException.class, () -> server.listenTcp(everywhere, false));
      assertThat(refusal.errno()).isEqualTo(Errno.EPERM);
      assertThat(refusal).hasMessageContaining("needs TLS");
      assertThat(server.listenTcp(everywhere, true).port()).isPositive();
    }
  }

  @Test
  void aSocketThatIsBoundAlreadyIsTaken() throws IOException {
    Path socket = folder.resolve("sock");
    try (NbdServer server = server()) {
      ServerSocketChannel passed = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      passed.bind(UnixDomainSocketAddress.of(socket));
      server.listen(passed);
      assertServes(socket);
    }
  }

  @Test
  void severalListenersServeTheSame() throws IOException {
    try (NbdServer server = server()) {
      server.listenUnix(folder.resolve("a"));
      server.listenUnix(folder.resolve("b"));
      assertServes(folder.resolve("a"));
      assertServes(folder.resolve("b"));
    }
  }

  // What it exports.

  @Test
  void anExportThatIsOpenedOnDemandIsOpenWhileThereAreClients() throws IOException {
    AtomicInteger opens = new AtomicInteger();
    List<BlockDevice> devices = new ArrayList<>();
    Export export =
        Export.opening(
            "disk",
            () -> {
              opens.incrementAndGet();
              devices.add(MemoryDevice.ofSize(SIZE, 4096));
              return devices.get(devices.size() - 1);
            });
    try (Served served = Served.of(builder -> builder.export(export))) {
      assertThat(opens).hasValue(0);
      RawClient first = RawClient.transmitting(served.socket(), true);
      RawClient second = RawClient.transmitting(served.socket(), true);
      assertThat(opens).hasValue(1);
      first.close();
      assertServes(served.socket());
      assertThat(devices.get(0).isOpen()).isTrue();
      second.close();
      await().until(() -> !devices.get(0).isOpen());
      assertServes(served.socket());
      assertThat(opens).hasValue(2);
    }
    assertThat(devices.get(1).isOpen()).isFalse();
  }

  @Test
  void anExportThatCannotBeOpenedIsAnErrorOfTheHandshake() throws IOException {
    Export export =
        Export.opening(
            "disk",
            () -> {
              throw new DeviceException(Errno.EIO, "no such luck");
            });
    try (Served served = Served.of(builder -> builder.export(export));
        RawClient client = RawClient.connect(served.socket())) {
      client.greet();
      client.option(7, RawClient.info("disk"));
      assertThat(client.reply().text()).contains("no such luck");
      client.option(2, new byte[0]);
      assertThat(client.reply().type()).isEqualTo(1);
      assertThat(client.isClosed()).isTrue();
    }
  }

  @Test
  void aDeviceThatTheCallerOpenedStaysOpen() throws IOException {
    BlockDevice device = MemoryDevice.ofSize(SIZE);
    try (Served served = Served.device(device)) {
      assertServes(served.socket());
    }
    assertThat(device.isOpen()).isTrue();
  }

  @Test
  void twoExportsOfOneNameAreAMistake() {
    BlockDevice device = MemoryDevice.ofSize(SIZE);
    NbdServer.Builder builder = NbdServer.builder().export(Export.of("a", device));
    assertThatThrownBy(() -> builder.export(Export.of("a", device)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // Limits.

  @Test
  void aClientTooManyIsTurnedAwayAndTheNextIsServed() throws IOException {
    ServerLimits limits = new ServerLimits(2, 4, 4, Duration.ofSeconds(30));
    try (Served served =
        Served.of(
            builder -> builder.export(Export.of("", MemoryDevice.ofSize(SIZE))).limits(limits))) {
      RawClient first = RawClient.transmitting(served.socket(), true);
      try (RawClient second = RawClient.transmitting(served.socket(), true)) {
        try (RawClient third = RawClient.connect(served.socket())) {
          assertThat(third.isClosed()).isTrue();
        }
        first.close();
        await().until(() -> served.server().clients() == 1);
        assertServes(served.socket());
        second.request(0, 3, 1, 0, 0);
        assertThat(second.simpleReply(1)).isZero();
      }
    }
  }

  @Test
  void aClientThatDoesNotShakeHandsIsCutOff() throws IOException {
    ServerLimits limits = new ServerLimits(3, 4, 4, Duration.ofMillis(200));
    try (Served served =
        Served.of(
            builder -> builder.export(Export.of("", MemoryDevice.ofSize(SIZE))).limits(limits))) {
      try (RawClient through = RawClient.transmitting(served.socket(), true);
          RawClient silent = RawClient.connect(served.socket());
          RawClient halfway = RawClient.connect(served.socket())) {
        halfway.greet();
        halfway.option(8, new byte[0]);
        halfway.reply();
        silent.in.skipNBytes(18);
        assertThat(silent.isClosed()).isTrue();
        assertThat(halfway.isClosed()).isTrue();
        through.request(0, 3, 1, 0, 0);
        assertThat(through.simpleReply(1)).as("after the handshake").isZero();
      }
    }
  }

  @Test
  void closingWaitsForRequestsInFlight() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    BlockDevice slow =
        new LayerDevice(MemoryDevice.ofSize(SIZE)) {
          @Override
          protected void doFlush() throws IOException {
            begun.countDown();
            try {
              end.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }

          @Override
          public String describe() {
            return below.describe();
          }
        };
    Served served = Served.device(slow);
    try (RawClient client = RawClient.transmitting(served.socket(), true)) {
      client.request(0, 3, 1, 0, 0);
      begun.await();
      Thread closer =
          new Thread(
              () -> {
                try {
                  served.close();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      closer.start();
      await().until(() -> !Files.exists(served.socket()));
      assertThat(closer.isAlive()).isTrue();
      end.countDown();
      assertThat(client.simpleReply(1)).isZero();
      assertThat(client.isClosed()).isTrue();
      closer.join();
    }
  }

  @Test
  void closingCutsOffAClientThatTakesNoReplies() throws IOException {
    ServerLimits limits = new ServerLimits(2, 4, 4, Duration.ofMillis(200));
    Served served =
        Served.of(
            builder -> builder.export(Export.of("", MemoryDevice.ofSize(64 << 20))).limits(limits));
    try (RawClient stalled = RawClient.transmitting(served.socket(), true)) {
      for (int i = 0; i < 4; i++) {
        stalled.request(0, 0, i, 0, 32 << 20);
      }
      served.close();
    }
    assertThat(served.server().clients()).isZero();
  }
}
