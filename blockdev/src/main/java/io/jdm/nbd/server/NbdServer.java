package io.jdm.nbd.server;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.transport.BlockingTransport;
import io.jdm.nbd.transport.TlsTransport;
import io.jdm.nbd.transport.Transport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Serves exports to NBD clients on Unix and TCP sockets. Thread-safe.
 *
 * <p>Whoever can reach a listening socket can use the exports, and is told what failed in the words
 * of the device, file names included. A Unix socket is made for its owner alone; TCP needs TLS, or
 * stays on this machine, unless the caller says otherwise. Clients cannot make the server spend
 * more than {@link ServerLimits}.
 */
public final class NbdServer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(NbdServer.class.getName());
  private static final int PAGE = 4096;
  private static final int IDLE_BUFFERS = 32;
  private static final long ACCEPT_PAUSE_NANOS = 50_000_000;

  /** Replies of a megabyte leave in few pieces; the system's own limit holds if it is lower. */
  private static final int SOCKET_BUFFER = 1 << 20;

  private static final Set<PosixFilePermission> PRIVATE_FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> PRIVATE_SOCKET =
      PosixFilePermissions.fromString("rw-------");

  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private final Map<String, Export> exports;
  private final ServerLimits limits;
  private final SSLContext tls;
  private final boolean clientCertificates;

  private final BufferPool small = pool(Transmission.SMALL);
  private final BufferPool chunk = pool(Transmission.CHUNK);
  private final BufferPool piece = pool(Transmission.PIECE);

  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final Semaphore freeConnections;
  private final Semaphore freeThreads;

  // With this object's lock held:
  private final List<ServerSocketChannel> listeners = new ArrayList<>();
  private final List<Path> sockets = new ArrayList<>();
  private volatile boolean closed;

  private NbdServer(Builder builder) {
    this.exports = new LinkedHashMap<>(builder.exports);
    this.limits = builder.limits;
    this.tls = builder.tls;
    this.clientCertificates = builder.clientCertificates;
    this.freeConnections = new Semaphore(limits.connections());
    this.freeThreads = new Semaphore(limits.extraThreads());
  }

  private static BufferPool pool(int size) {
    return new BufferPool(PAGE + size, IDLE_BUFFERS);
  }

  private static ScheduledThreadPoolExecutor timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "nbd-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Without exports, without TLS, with {@link ServerLimits#DEFAULT}. */
  public static Builder builder() {
    return new Builder();
  }

  /** Chooses what is served and how. Not thread-safe. */
  public static final class Builder {
    private final Map<String, Export> exports = new LinkedHashMap<>();
    private ServerLimits limits = ServerLimits.DEFAULT;
    private SSLContext tls;
    private boolean clientCertificates;

    private Builder() {}

    /** Adds an export. The first one is also what clients get who ask for no name. */
    public Builder export(Export export) {
      if (exports.putIfAbsent(export.name(), export) != null) {
        throw new IllegalArgumentException("two exports named '" + export.name() + "'");
      }
      return this;
    }

    /** Limits what clients can make the server spend. */
    public Builder limits(ServerLimits limits) {
      this.limits = limits;
      return this;
    }

    /**
     * Takes no client without TLS.
     *
     * @param context with the server's certificate
     * @param clientCertificates whether clients must prove who they are to an authority that the
     *     context trusts
     */
    public Builder tls(SSLContext context, boolean clientCertificates) {
      this.tls = context;
      this.clientCertificates = clientCertificates;
      return this;
    }

    /** The server, which listens nowhere yet. */
    public NbdServer build() {
      return new NbdServer(this);
    }
  }

  /**
   * Listens on a Unix socket that only its owner can connect to. The file is removed on close.
   *
   * @param path must not exist, except as a socket that nobody listens on any more
   * @return the address of the default export
   * @throws DeviceException {@link Errno#EBUSY} if something else is there
   */
  public NbdUri listenUnix(Path path) throws IOException {
    Path socket = path.toAbsolutePath();
    removeStale(socket);
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      bindPrivately(channel, socket);
      listen(channel, socket);
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
    NbdUri uri = NbdUri.unix(socket.toString(), defaultName());
    return tls == null ? uri : new NbdUri(true, "", 0, uri.socket(), uri.export(), Map.of());
  }

  private static void removeStale(Path socket) throws IOException {
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(socket));
    } catch (ConnectException e) {
      if (Files.readAttributes(
              socket, java.nio.file.attribute.BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          .isOther()) {
        Files.delete(socket);
        return;
      }
    } catch (IOException e) {
      // It is no socket, or not ours.
    }
    throw new DeviceException(Errno.EBUSY, "cannot listen, something is there already: " + socket);
  }

  /**
   * Binds in a folder that nobody else can enter and moves the socket to its place when it has its
   * mode: so there is no moment at which others can connect.
   */
  private static void bindPrivately(ServerSocketChannel channel, Path socket) throws IOException {
    if (!Files.getFileStore(socket.getParent()).supportsFileAttributeView("posix")) {
      channel.bind(UnixDomainSocketAddress.of(socket));
      return;
    }
    Path folder = null;
    while (folder == null) {
      String name = ".n" + Integer.toString(ThreadLocalRandom.current().nextInt(1 << 24), 36);
      try {
        folder =
            Files.createDirectory(
                socket.resolveSibling(name), PosixFilePermissions.asFileAttribute(PRIVATE_FOLDER));
      } catch (FileAlreadyExistsException e) {
        // Another name then.
      }
    }
    Path bound = folder.resolve("s");
    try {
      channel.bind(UnixDomainSocketAddress.of(bound));
      Files.setPosixFilePermissions(bound, PRIVATE_SOCKET);
      Files.move(bound, socket, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(bound);
      Files.delete(folder);
    }
  }

  /**
   * Listens on TCP.
   *
   * @param address port 0 for any free one
   * @param insecure whether strangers may use the exports: needed for other addresses than loopback
   *     if there is no TLS
   * @return the address of the default export
   * @throws DeviceException {@link Errno#EPERM} if that is not said and needed
   */
  public NbdUri listenTcp(InetSocketAddress address, boolean insecure) throws IOException {
    if (address.isUnresolved()) {
      throw new DeviceException(Errno.EINVAL, "unknown host " + address.getHostString());
    }
    if (tls == null && !insecure && !address.getAddress().isLoopbackAddress()) {
      throw new DeviceException(
          Errno.EPERM,
          "TCP beyond this machine needs TLS, or to be called insecure: "
              + address.getHostString());
    }
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(address);
      InetSocketAddress bound = (InetSocketAddress) channel.getLocalAddress();
      listen(channel, null);
      return NbdUri.tcp(tls != null, address.getHostString(), bound.getPort(), defaultName());
    } catch (IOException | RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  /** Listens on a socket that is bound already: one that systemd passed. The server owns it. */
  public void listen(ServerSocketChannel channel) throws IOException {
    listen(channel, null);
  }

  private synchronized void listen(ServerSocketChannel channel, Path socket) throws IOException {
    if (closed) {
      throw new IllegalStateException("the server was closed");
    }
    channel.configureBlocking(true);
    listeners.add(channel);
    if (socket != null) {
      sockets.add(socket);
    }
    start(() -> accept(channel), "nbd-accept");
  }

  private void accept(ServerSocketChannel listener) {
    while (!closed) {
      try {
        serve(listener.accept());
      } catch (IOException e) {
        if (!closed) {
          // Out of descriptors, most likely: wait until somebody leaves.
          connectionFailed(e);
          LockSupport.parkNanos(ACCEPT_PAUSE_NANOS);
        }
      }
    }
  }

  /**
   * Serves one client on a connected socket, in a thread of its own. The server owns it, and closes
   * it at once if there are as many clients as there may be.
   */
  public void serve(SocketChannel channel) throws IOException {
    if (!freeConnections.tryAcquire()) {
      LOG.log(System.Logger.Level.INFO, "client turned away: {0} are here", limits.connections());
      channel.close();
      return;
    }
    try {
      channel.configureBlocking(true);
      if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      }
      channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
      Connection connection = new Connection(this, new BlockingTransport(channel));
      connections.add(connection);
      if (closed) {
        connection.shutdown();
      }
      start(connection, "nbd");
    } catch (IOException | RuntimeException | Error e) {
      freeConnections.release();
      channel.close();
      throw e;
    }
  }

  private static void start(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** How many clients there are now. */
  public int clients() {
    return connections.size();
  }

  /** Waits until there is no client; their end is up to them. */
  public synchronized void awaitClients() {
    boolean interrupted = false;
    while (!connections.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Stops listening, lets requests in flight end, and cuts clients off who take longer than the
   * handshake limit. Devices that the caller opened stay open.
   */
  @Override
  public void close() throws IOException {
    closeListeners();
    connections.forEach(Connection::shutdown);
    long deadline = System.nanoTime() + limits.handshake().toNanos();
    if (!awaitClients(deadline)) {
      connections.forEach(Connection::close);
      awaitClients(deadline + limits.handshake().toNanos());
    }
  }

  private synchronized void closeListeners() throws IOException {
    closed = true;
    for (ServerSocketChannel listener : listeners) {
      listener.close();
    }
    listeners.clear();
    for (Path socket : sockets) {
      Files.deleteIfExists(socket);
    }
    sockets.clear();
  }

  private synchronized boolean awaitClients(long deadline) {
    boolean interrupted = false;
    while (!connections.isEmpty()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        break;
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return connections.isEmpty();
  }

  // For connections.

  ServerLimits limits() {
    return limits;
  }

  Collection<Export> exports() {
    return exports.values();
  }

  /** The export of this name, or null; the empty name is the first one. */
  Export export(String name) {
    Export export = exports.get(name);
    return export == null && name.isEmpty() && !exports.isEmpty()
        ? exports.values().iterator().next()
        : export;
  }

  private String defaultName() {
    return exports.isEmpty() ? "" : exports.values().iterator().next().name();
  }

  boolean requiresTls() {
    return tls != null;
  }

  Transport startTls(Transport plain) throws IOException {
    SSLEngine engine = tls.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setEnabledProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
    engine.setNeedClientAuth(clientCertificates);
    return TlsTransport.handshake(plain, engine);
  }

  /** The pool of the smallest buffers that have a page and so many bytes behind it. */
  BufferPool buffers(int length) {
    return length <= Transmission.SMALL ? small : length <= Transmission.CHUNK ? chunk : piece;
  }

  /** Runs something later, unless it is cancelled. */
  Future<?> after(Duration delay, Runnable task) {
    return TIMER.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  boolean acquireThread() {
    return freeThreads.tryAcquire();
  }

  void releaseThread() {
    freeThreads.release();
  }

  void left(Connection connection) {
    connections.remove(connection);
    freeConnections.release();
    synchronized (this) {
      notifyAll();
    }
  }

  /** Notes why a connection ended, if it did not do so in order. */
  void connectionFailed(Throwable failure) {
    System.Logger.Level level =
        failure instanceof IOException ? System.Logger.Level.DEBUG : System.Logger.Level.ERROR;
    LOG.log(level, "connection failed", failure);
  }
}
