package io.jdm.nbd.client;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.nbd.ClientHandshake;
import io.jdm.nbd.HandshakeOutput;
import io.jdm.nbd.NbdException;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.transport.PemCredentials;
import io.jdm.nbd.transport.SelectingTransport;
import io.jdm.nbd.transport.TlsTransport;
import io.jdm.nbd.transport.Transport;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/** Connects to an export and shakes hands, as often as it is asked. Thread-safe. */
final class Connector {
  /** How long connecting, and each wait of the handshake, may take. */
  private static final long HANDSHAKE_MILLIS = 30_000;

  private static final int SOCKET_BUFFER = 1 << 20;

  private final NbdUri uri;
  private final long timeoutMillis;
  private final SSLContext tls;
  private final String tlsHost;

  /**
   * Reads what the address says about TLS.
   *
   * @param timeoutMillis how long a server may be silent that owes a reply; 0 for ever
   */
  Connector(NbdUri uri, long timeoutMillis) throws IOException {
    this.uri = uri;
    this.timeoutMillis = timeoutMillis;
    this.tls = uri.tls() ? context(uri) : null;
    this.tlsHost = uri.parameter("tls-hostname", uri.isUnix() ? "localhost" : uri.host());
  }

  private static SSLContext context(NbdUri uri) throws IOException {
    require(uri, "tls-type", "x509", "the JDK has neither PSK nor anonymous TLS");
    String verify = uri.parameter("tls-verify-peer", "true").toLowerCase(Locale.ROOT);
    if (!verify.equals("true") && !verify.equals("1") && !verify.equals("yes")) {
      throw new DeviceException(Errno.EINVAL, "TLS without knowing the server is not done: " + uri);
    }
    String folder = uri.parameter("tls-certificates", "");
    if (!folder.isEmpty()) {
      return PemCredentials.client(Path.of(folder));
    }
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new DeviceException(Errno.EOPNOTSUPP, "no TLS: " + e.getMessage() + ": " + uri, e);
    }
  }

  private static void require(NbdUri uri, String name, String value, String reason)
      throws DeviceException {
    String found = uri.parameter(name, value);
    if (!found.equals(value)) {
      throw new DeviceException(
          Errno.EINVAL,
          name + " is '" + found + "', expected '" + value + "': " + reason + ": " + uri);
    }
  }

  /**
   * A new connection.
   *
   * @throws DeviceException saying which step failed, and the address
   */
  ClientConnection connect() throws DeviceException {
    SocketChannel channel = null;
    try {
      channel = open();
      SelectingTransport socket = new SelectingTransport(channel, HANDSHAKE_MILLIS);
      ClientConnection connection = shakeHands(socket);
      socket.setTimeout(timeoutMillis);
      return connection;
    } catch (IOException | UnresolvedAddressException e) {
      DeviceException failure =
          new DeviceException(errno(e), "cannot connect: " + reason(e) + ": " + describe(), e);
      if (channel != null) {
        try {
          channel.close();
        } catch (IOException again) {
          failure.addSuppressed(again);
        }
      }
      throw failure;
    }
  }

  String describe() {
    return "NBD export " + uri;
  }

  private Errno errno(Exception e) {
    if (e instanceof NbdException nbd) {
      return nbd.errno();
    }
    if (e instanceof SocketTimeoutException) {
      return Errno.ETIMEDOUT;
    }
    if (uri.isUnix() && !Files.exists(Path.of(uri.socket()))) {
      return Errno.ENOENT;
    }
    return e instanceof ConnectException || e instanceof UnresolvedAddressException
        ? Errno.ENXIO
        : Errno.EIO;
  }

  private String reason(Exception e) {
    if (e instanceof UnresolvedAddressException) {
      return "unknown host " + uri.host();
    }
    if (e instanceof SSLException) {
      return "TLS: " + e.getMessage();
    }
    if (e instanceof SocketException && errno(e) == Errno.ENOENT) {
      return Errno.ENOENT.message();
    }
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private SocketChannel open() throws IOException {
    SocketAddress address;
    SocketChannel channel;
    if (uri.isUnix()) {
      address = UnixDomainSocketAddress.of(uri.socket());
      channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    } else {
      address = new InetSocketAddress(uri.host(), uri.port());
      channel = SocketChannel.open();
    }
    try {
      if (!uri.isUnix()) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      }
      channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
      channel.configureBlocking(false);
      if (!channel.connect(address)) {
        finishConnect(channel);
      }
      return channel;
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private static void finishConnect(SocketChannel channel) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HANDSHAKE_MILLIS);
    boolean interrupted = false;
    try (Selector selector = Selector.open()) {
      channel.register(selector, SelectionKey.OP_CONNECT);
      while (!channel.finishConnect()) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new SocketTimeoutException("no answer for " + HANDSHAKE_MILLIS + " ms");
        }
        selector.select(left);
        selector.selectedKeys().clear();
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private ClientConnection shakeHands(Transport socket) throws IOException {
    Transport transport = socket;
    ClientHandshake handshake = new ClientHandshake(uri.export(), tls != null);
    HandshakeOutput out = new HandshakeOutput();
    while (true) {
      ByteBuffer in = ByteBuffer.allocate(handshake.wanted());
      if (!transport.readFully(in)) {
        throw new EOFException("the server closed the connection during the handshake");
      }
      ClientHandshake.Next next = handshake.accept(in.flip(), out);
      transport.write(out.take());
      switch (next) {
        case READ -> {}
        case START_TLS -> {
          transport = TlsTransport.handshake(transport, engine());
          handshake.tlsStarted(out);
          transport.write(out.take());
        }
        case TRANSMIT -> {
          return new ClientConnection(
              transport,
              handshake.export(),
              handshake.structuredReplies(),
              handshake.allocation() ? handshake.allocationId() : -1);
        }
      }
    }
  }

  private SSLEngine engine() {
    SSLEngine engine = tls.createSSLEngine(tlsHost, uri.port());
    engine.setUseClientMode(true);
    engine.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    engine.setSSLParameters(parameters);
    return engine;
  }
}
