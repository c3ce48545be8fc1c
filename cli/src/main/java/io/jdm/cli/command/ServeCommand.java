package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Signals;
import io.jdm.cli.session.UsageException;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.TableText;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.server.Export;
import io.jdm.nbd.server.NbdServer;
import io.jdm.nbd.transport.PemCredentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm serve}: a device as an NBD export, until a signal or the end of a command. */
@Command(
    name = "serve",
    description = "Export a device over NBD, for qemu, nbdcopy, fio and every other client.",
    footerHeading = "%n",
    footer = {
      "DEVICE is any device (a path, mem:SIZE, mapper:NAME of a --map, nbd://...) or a whole"
          + " table,",
      "for instance '0 2048 linear disk.img 0'.",
      "Without --unix, --tcp or --fd the server listens on a socket in a folder of its own. The",
      "address is printed, and the server runs until SIGINT, SIGTERM or SIGHUP.",
      "--run COMMAND gives sh the command, with uri, unixsocket, port and exportname in its",
      "environment, and ends with it and its exit code."
    })
public final class ServeCommand implements Callable<Integer> {
  private static final String TABLE_DEVICE = "serve";
  private static final Pattern TABLE = Pattern.compile("\\s*\\d+\\s+\\d+\\s+\\w.*", Pattern.DOTALL);
  private static final Pattern TCP = Pattern.compile("(?:(.+):)?(\\d{1,5})");
  private static final int STANDARD_INPUT = 0;

  private final Session session;

  @Parameters(paramLabel = "DEVICE", description = "What to export.")
  private String device;

  @ArgGroup private Where where = new Where();

  /** Where to listen; at most one of these. */
  static final class Where {
    @Option(
        names = {"-U", "--unix"},
        paramLabel = "PATH",
        description = "Listen on a Unix socket that only its owner can use.")
    private Path unix;

    @Option(
        names = "--tcp",
        paramLabel = "[HOST:]PORT",
        description = "Listen on TCP (HOST: this machine only; PORT 0: any free one).")
    private String tcp;

    @Option(
        names = "--fd",
        paramLabel = "N",
        description = "Serve the socket that is open as descriptor N, which must be 0.")
    private Integer descriptor;
  }

  @Option(
      names = {"-r", "--readonly"},
      description = "Let nobody write.")
  private boolean readOnly;

  @Option(
      names = {"-e", "--exportname"},
      paramLabel = "NAME",
      description = "The export's name (default: the empty one).")
  private String exportName = "";

  @Option(
      names = "--tls-certificates",
      paramLabel = "DIR",
      description = "Require TLS; DIR has ca-cert.pem, server-cert.pem, server-key.pem.")
  private Path certificates;

  @Option(names = "--tls-verify-peer", description = "Require certificates of clients.")
  private boolean verifyPeer;

  @Option(names = "--insecure", description = "Let strangers in: TCP beyond this machine, no TLS.")
  private boolean insecure;

  @Option(names = "--run", paramLabel = "COMMAND", description = "Serve only while this runs.")
  private String command;

  public ServeCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    if (verifyPeer && certificates == null) {
      throw new UsageException("--tls-verify-peer needs --tls-certificates", "");
    }
    if (command != null && where.descriptor != null) {
      throw new UsageException("--run and --fd do not go together", "");
    }
    InetSocketAddress tcp = where.tcp == null ? null : tcpAddress(where.tcp);
    Channel passed = where.descriptor == null ? null : passedSocket(where.descriptor);
    try (session;
        BlockDevice opened = open()) {
      NbdServer.Builder builder = NbdServer.builder().export(Export.of(exportName, opened));
      if (certificates != null) {
        builder.tls(PemCredentials.server(certificates), verifyPeer);
      }
      try (NbdServer server = builder.build()) {
        return passed == null ? serve(server, tcp) : servePassed(server, passed);
      }
    }
  }

  private BlockDevice open() throws IOException {
    DeviceMapper mapper = session.devices().mapper();
    if (!TABLE.matcher(device).matches()) {
      return mapper.openSpec(device, !readOnly);
    }
    byte[] text = device.getBytes(StandardCharsets.UTF_8);
    try (DeviceDefinition definition =
        new DeviceDefinition(
            TABLE_DEVICE, "", DeviceDefinition.ANY_MINOR, readOnly, TableText.parse(text, ""))) {
      return mapper.open(mapper.create(definition).id(), !readOnly);
    } finally {
      Arrays.fill(text, (byte) 0);
    }
  }

  private static InetSocketAddress tcpAddress(String text) throws UsageException {
    Matcher matcher = TCP.matcher(text);
    int port = matcher.matches() ? Integer.parseInt(matcher.group(2)) : -1;
    if (port < 0 || port > 0xffff) {
      throw new UsageException(
          "invalid address " + Quote.word(text) + ", expected [HOST:]PORT", "");
    }
    String host = matcher.group(1);
    return host == null
        ? new InetSocketAddress(InetAddress.getLoopbackAddress(), port)
        : new InetSocketAddress(host, port);
  }

  private static Channel passedSocket(int descriptor) throws IOException, UsageException {
    Channel channel = descriptor == STANDARD_INPUT ? System.inheritedChannel() : null;
    if (channel instanceof ServerSocketChannel || channel instanceof SocketChannel) {
      return channel;
    }
    throw new UsageException(
        descriptor == STANDARD_INPUT
            ? "standard input is no socket"
            : "a JVM can only take over descriptor 0",
        "Try 'jdm serve --fd 0 ... 0<&" + descriptor + "'.");
  }

  private int serve(NbdServer server, InetSocketAddress tcp) throws IOException {
    if (tcp != null) {
      return serveAt(server, server.listenTcp(tcp, insecure));
    }
    if (where.unix != null) {
      return serveAt(server, server.listenUnix(where.unix));
    }
    Path folder = Files.createTempDirectory("jdm-serve");
    try {
      int code = serveAt(server, server.listenUnix(folder.resolve("socket")));
      server.close();
      return code;
    } finally {
      Files.delete(folder);
    }
  }

  private int serveAt(NbdServer server, NbdUri uri) throws IOException {
    if (command != null) {
      return run(uri);
    }
    session.stdio().print(uri + System.lineSeparator());
    awaitSignal();
    server.close();
    return ExitCodes.SUCCESS;
  }

  private int servePassed(NbdServer server, Channel passed) throws IOException {
    if (passed instanceof ServerSocketChannel listener) {
      server.listen(listener);
      awaitSignal();
    } else {
      server.serve((SocketChannel) passed);
      server.awaitClients();
    }
    return ExitCodes.SUCCESS;
  }

  private static void awaitSignal() {
    CountDownLatch signal = new CountDownLatch(1);
    try (Signals signals = new Signals()) {
      for (String name : new String[] {"INT", "TERM", "HUP"}) {
        signals.handle(name, signal::countDown);
      }
      signal.await();
    } catch (InterruptedException e) {
      // Whoever runs this command in its own process ends it so.
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the command with what nbdkit's --run gives it. */
  private int run(NbdUri uri) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).inheritIO();
    builder
        .environment()
        .putAll(
            Map.of(
                "uri", uri.toString(),
                "unixsocket", uri.socket(),
                "port", uri.isUnix() ? "" : String.valueOf(uri.port()),
                "exportname", uri.export()));
    Process process = builder.start();
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      return ExitCodes.FAILURE;
    }
  }
}
