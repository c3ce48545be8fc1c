package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.serve.Captive;
import io.jdm.cli.serve.PassedSocket;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Signals;
import io.jdm.cli.session.UsageException;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.server.Export;
import io.jdm.nbd.server.NbdServer;
import io.jdm.nbd.transport.PemCredentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
      "DEVICE is the name of a --map device, any other device (a path, mem:SIZE, nbd://...), or",
      "a whole table, for instance '0 2048 linear disk.img 0'.",
      "Without --unix, --tcp or --fd the server listens on a socket in a folder of its own. The",
      "address is printed. SIGINT, SIGTERM and SIGHUP end the server: requests in flight are",
      "finished, the device is flushed, the socket is removed.",
      "A socket that systemd passes (LISTEN_PID, LISTEN_FDS) is used without being asked for;",
      "there can be one, listening or connected.",
      "--run COMMAND gives sh the command, with uri, nbd, unixsocket, port, exportname and (with",
      "TLS) tls in its environment, and ends with it and with its exit code."
    })
public final class ServeCommand implements Callable<Integer> {
  private static final Pattern TCP = Pattern.compile("(?:(.+):)?(\\d{1,5})");

  private final Session session;
  private final Signals signals = new Signals();

  /** Complete when a signal came. */
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  @Parameters(paramLabel = "DEVICE", description = "What to export.")
  private String device;

  @ArgGroup private Where where = new Where();

  /** Where to listen; at most one of these. */
  static final class Where {
    @Option(
        names = {"-U", "--unix"},
        paramLabel = "PATH",
        description = "Listen on a Unix socket that only its owner can use (-: a private one).")
    private String unix;

    @Option(
        names = "--tcp",
        paramLabel = "[HOST:]PORT",
        description = "Listen on TCP (no HOST: this machine only; PORT 0: any free one).")
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
      names = {"-e", "--name", "--exportname"},
      paramLabel = "NAME",
      description = "The export's name (default: the empty one).")
  private String exportName = "";

  @Option(
      names = {"-P", "--pidfile"},
      paramLabel = "FILE",
      description = "Write the process ID to FILE when clients can connect. FILE stays.")
  private Path pidFile;

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
    Optional<PassedSocket> passed = PassedSocket.find(where.descriptor);
    if (passed.isPresent() && (command != null || where.unix != null || tcp != null)) {
      throw new UsageException(
          "a passed socket does not go together with --run, --unix or --tcp", "");
    }
    // Before anybody is told that the server is there, and could end it.
    signals.handleEnding(() -> ended.complete(null));
    try (signals;
        session;
        BlockDevice opened = session.devices().openDeviceOrTable(device, !readOnly)) {
      NbdServer.Builder builder = NbdServer.builder().export(Export.of(exportName, opened));
      if (certificates != null) {
        builder.tls(PemCredentials.server(certificates), verifyPeer);
      }
      int code;
      try (NbdServer server = builder.build()) {
        code = passed.isEmpty() ? listen(server, tcp) : servePassed(server, passed.get());
      }
      opened.flush();
      return code;
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
        : new InetSocketAddress(host.replaceAll("^\\[(.*)]$", "$1"), port);
  }

  private int listen(NbdServer server, InetSocketAddress tcp) throws IOException {
    if (tcp != null) {
      return serveAt(server.listenTcp(tcp, insecure));
    }
    if (where.unix != null && !where.unix.equals("-")) {
      return serveAt(server.listenUnix(Path.of(where.unix)));
    }
    Path folder = Files.createTempDirectory("jdm-serve");
    try {
      return serveAt(server.listenUnix(folder.resolve("socket")));
    } finally {
      server.close();
      Files.delete(folder);
    }
  }

  private int serveAt(NbdUri uri) throws IOException {
    writePidFile();
    if (command != null) {
      return Captive.run(command, uri, ended);
    }
    session.stdio().print(uri + System.lineSeparator());
    awaitSignal();
    return ExitCodes.SUCCESS;
  }

  private int servePassed(NbdServer server, PassedSocket passed) throws IOException {
    if (passed.channel() instanceof ServerSocketChannel listener) {
      server.listen(listener);
      writePidFile();
      awaitSignal();
    } else {
      server.serve((SocketChannel) passed.channel());
      writePidFile();
      server.awaitClients();
    }
    return ExitCodes.SUCCESS;
  }

  private void writePidFile() throws IOException {
    if (pidFile != null) {
      Files.writeString(pidFile, ProcessHandle.current().pid() + System.lineSeparator());
    }
  }

  /** A second signal ends the process at once, if what follows takes too long. */
  private void awaitSignal() {
    try {
      ended.get();
    } catch (InterruptedException e) {
      // Whoever runs this command in its own process ends it so.
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("signals have no result", e);
    } finally {
      signals.close();
    }
  }
}
