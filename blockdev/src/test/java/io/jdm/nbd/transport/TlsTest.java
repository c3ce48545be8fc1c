package io.jdm.nbd.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.Certificates;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.RawClient;
import io.jdm.nbd.Served;
import io.jdm.nbd.client.NbdDevice;
import io.jdm.nbd.server.Export;
import io.jdm.testing.Program;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS on both sides, with each other and with the programs that people use. */
@Timeout(120)
class TlsTest {
  private static final int SIZE = 4 << 20;

  @TempDir static Path folder;
  private static Path certificates;
  private static Path anonymous;

  @BeforeAll
  static void makeCertificates() throws IOException {
    certificates = Certificates.create(folder.resolve("certificates"));
    anonymous = Certificates.withoutIdentity(certificates, folder.resolve("anonymous"));
  }

  private static Served serve(BlockDevice device, boolean clientCertificates) throws IOException {
    return Served.of(
        builder -> {
          try {
            builder
                .export(Export.of("", device))
                .tls(PemCredentials.server(certificates), clientCertificates);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static NbdUri uri(Served served, Path certificates) {
    return new NbdUri(
        true,
        "",
        0,
        served.uri().socket(),
        "",
        Map.of("tls-certificates", certificates.toString(), "reconnect", "0"));
  }

  private static byte[] random(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void manyThreadsReadAndWriteOverTls() throws Exception {
    try (Served served = serve(MemoryDevice.ofSize(SIZE), true);
        BlockDevice device = NbdDevice.open(uri(served, certificates), true)) {
      Threads.runTogether(
          4,
          thread -> {
            int area = SIZE / 4;
            for (int length : new int[] {1, 511, 4096, 16_384, 65_537, 300_000, area}) {
              byte[] data = random(length, length + thread);
              device.write((long) thread * area, ByteBuffer.wrap(data));
              ByteBuffer back = ByteBuffer.allocateDirect(length);
              device.read((long) thread * area, back);
              byte[] bytes = new byte[length];
              back.flip().get(bytes);
              assertThat(bytes).isEqualTo(data);
            }
          });
      device.flush();
    }
  }

  @Test
  void aClientWithoutACertificateIsTakenOnlyIfNoneIsAsked() throws IOException {
    try (Served open = serve(MemoryDevice.ofSize(SIZE), false);
        BlockDevice device = NbdDevice.open(uri(open, anonymous), true)) {
      device.write(0, ByteBuffer.wrap(random(4096, 1)));
    }
    try (Served closed = serve(MemoryDevice.ofSize(SIZE), true)) {
      assertThatThrownBy(() -> NbdDevice.open(uri(closed, anonymous), true))
          .isInstanceOf(DeviceException.class);
    }
  }

  @Test
  void aServerOfAnotherAuthorityIsNotTrusted() throws IOException {
    Path others = Certificates.create(folder.resolve("others"));
    try (Served served = serve(MemoryDevice.ofSize(SIZE), false)) {
      assertThatThrownBy(() -> NbdDevice.open(uri(served, others), true))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining("TLS");
    }
  }

  @Test
  void aServerOfAnotherNameIsNotTrusted() throws IOException {
    try (Served served = serve(MemoryDevice.ofSize(SIZE), false)) {
      NbdUri other =
          new NbdUri(
              true,
              "",
              0,
              served.uri().socket(),
              "",
              Map.of("tls-certificates", anonymous.toString(), "tls-hostname", "example.org"));
      assertThatThrownBy(() -> NbdDevice.open(other, true))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining("example.org");
    }
  }

  @Test
  void noExportIsShownWithoutTls() throws IOException {
    try (Served served = serve(MemoryDevice.ofSize(SIZE), false)) {
      NbdUri plain = NbdUri.unix(served.uri().socket(), "");
      assertThatThrownBy(() -> NbdDevice.open(plain, true))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining("ERR_TLS_REQD");
      try (RawClient client = RawClient.connect(served.socket())) {
        client.greet();
        client.option(3, new byte[0]);
        assertThat(client.reply().type()).isEqualTo(0x8000_0005);
        client.option(5, new byte[0]);
        assertThat(client.reply().type()).isEqualTo(1);
        client.option(3, new byte[0]);
        assertThat(client.in.read()).as("a TLS alert, not a list").isEqualTo(21);
      }
    }
  }

  @Test
  void nonsenseInsteadOfTlsEndsTheConnection() throws IOException {
    Random random = new Random(1);
    try (Served served = serve(MemoryDevice.ofSize(SIZE), false)) {
      for (int i = 0; i < 50; i++) {
        try (RawClient client = RawClient.connect(served.socket())) {
          client.greet();
          client.option(5, new byte[0]);
          assertThat(client.reply().type()).isEqualTo(1);
          client.send(random(1 + random.nextInt(2000), i));
          client.shutdownOutput();
          client.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
          assertThat(e).hasMessageMatching(".*(reset|Broken pipe).*");
        }
      }
      try (BlockDevice device = NbdDevice.open(uri(served, anonymous), false)) {
        device.read(0, ByteBuffer.allocate(512));
      }
    }
  }

  @Test
  void toolsUseTheServerOverTls() throws IOException {
    byte[] content = random(SIZE, 1);
    MemoryDevice memory = MemoryDevice.ofSize(SIZE);
    memory.write(0, ByteBuffer.wrap(content));
    try (Served served = serve(memory, true)) {
      NbdUri tcp =
          served
              .server()
              .listenTcp(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), false);
      String uri = "nbds://localhost:" + tcp.port() + "/?tls-certificates=" + certificates;
      assertThat(Program.run("nbdinfo", uri)).contains("newstyle-fixed with TLS");
      Path out = folder.resolve("out");
      Program.run("nbdcopy", uri, out);
      assertThat(out).hasBinaryContent(content);
      Program.run("nbdcopy", "--connections=1", "--flush", out, uri);
      Path qemu = folder.resolve("qemu");
      Program.run(
          "qemu-img",
          "convert",
          "--object",
          "tls-creds-x509,id=t,endpoint=client,dir=" + certificates,
          "--image-opts",
          "driver=nbd,host=localhost,port=" + tcp.port() + ",tls-creds=t",
          "-O",
          "raw",
          qemu);
      assertThat(qemu).hasBinaryContent(content);
      assertThat(
              Program.runFailing(
                  "nbdinfo", "nbds://localhost:" + tcp.port() + "/?tls-certificates=" + anonymous))
          .contains("nbd");
    }
  }

  @Test
  void theClientUsesNbdkitOverTls() throws IOException {
    Path socket = folder.resolve("nbdkit");
    try (Program nbdkit =
        Program.start(
            "nbdkit",
            "-f",
            "--exit-with-parent",
            "-U",
            socket,
            "--tls=require",
            "--tls-certificates=" + certificates,
            "--tls-verify-peer",
            "memory",
            String.valueOf(SIZE))) {
      await().until(() -> Files.exists(socket) && nbdkit.isRunning());
      NbdUri uri =
          new NbdUri(
              true,
              "",
              0,
              socket.toString(),
              "",
              Map.of("tls-certificates", certificates.toString()));
      byte[] content = random(SIZE, 2);
      try (BlockDevice device = NbdDevice.open(uri, true)) {
        device.write(0, ByteBuffer.wrap(content));
        byte[] back = new byte[SIZE];
        device.read(0, ByteBuffer.wrap(back));
        assertThat(back).isEqualTo(content);
      }
    }
  }

  // Certificates.

  @ParameterizedTest
  @ValueSource(strings = {"-traditional", "-nocrypt"})
  void rsaKeysAreTakenInBothForms(String form) throws IOException {
    Path rsa = Files.createDirectories(folder.resolve("rsa" + form));
    Path pkcs1 = rsa.resolve("pkcs1");
    Program.run("openssl", "genrsa", "-traditional", "-out", pkcs1, "2048");
    Path key = rsa.resolve("server-key.pem");
    if (form.equals("-traditional")) {
      Files.copy(pkcs1, key);
    } else {
      Program.run("openssl", "pkcs8", "-topk8", "-nocrypt", "-in", pkcs1, "-out", key);
    }
    Program.run(
        "openssl",
        "req",
        "-x509",
        "-new",
        "-key",
        key,
        "-subj",
        "/CN=localhost",
        "-out",
        rsa.resolve("server-cert.pem"));
    Files.copy(rsa.resolve("server-cert.pem"), rsa.resolve("ca-cert.pem"));
    assertThat(PemCredentials.server(rsa)).isNotNull();
  }

  @Test
  void certificatesThatAreMissingOrDamagedAreNamed() throws IOException {
    assertThatThrownBy(() -> PemCredentials.server(anonymous))
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessageContaining("server-key.pem");
    Path damaged = Files.createDirectories(folder.resolve("damaged"));
    for (String name : new String[] {"ca-cert.pem", "server-cert.pem", "server-key.pem"}) {
      Files.copy(certificates.resolve(name), damaged.resolve(name));
    }
    for (String name : new String[] {"server-key.pem", "server-cert.pem", "ca-cert.pem"}) {
      byte[] good = Files.readAllBytes(damaged.resolve(name));
      for (byte[] bad :
          new byte[][] {{}, {1, 2, 3}, Arrays.copyOf(good, good.length / 2), flip(good)}) {
        Files.write(damaged.resolve(name), bad);
        assertThatThrownBy(() -> PemCredentials.server(damaged))
            .isInstanceOf(DeviceException.class)
            .hasMessageEndingWith(name);
      }
      Files.write(damaged.resolve(name), good);
    }
  }

  private static byte[] flip(byte[] pem) {
    byte[] flipped = pem.clone();
    flipped[flipped.length / 2] = '!';
    flipped[flipped.length / 2 + 1] = '!';
    flipped[flipped.length / 2 + 2] = '!';
    return flipped;
  }

  @Test
  void whatTheJdkCannotDoIsRefused() {
    for (Map<String, String> parameters :
        List.of(
            Map.of("tls-type", "psk"),
            Map.of("tls-type", "anon"),
            Map.of("tls-verify-peer", "false"))) {
      NbdUri uri = new NbdUri(true, "localhost", 10809, "", "", parameters);
      assertThatThrownBy(() -> NbdDevice.open(uri, true))
          .isInstanceOfSatisfying(
              DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
  }
}
