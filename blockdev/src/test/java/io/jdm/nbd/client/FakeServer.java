package io.jdm.nbd.client;

import io.jdm.nbd.BlockSizes;
import io.jdm.nbd.ExportInfo;
import io.jdm.nbd.HandshakeOutput;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.Request;
import io.jdm.nbd.ServerHandshake;
import io.jdm.nbd.TransmissionFlag;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that shakes hands as it should and then does what a test wants. */
final class FakeServer implements AutoCloseable {
  static final int SIZE = 1 << 20;

  static final Set<TransmissionFlag> FLAGS =
      EnumSet.of(
          TransmissionFlag.HAS_FLAGS,
          TransmissionFlag.SEND_FLUSH,
          TransmissionFlag.SEND_FUA,
          TransmissionFlag.SEND_TRIM,
          TransmissionFlag.SEND_WRITE_ZEROES);

  /** Serves the requests of one connection. */
  @FunctionalInterface
  interface Script {
    /**
     * Answers one request, whose payload is still to be read; the connection is closed if it
     * throws.
     *
     * @param connection counts connections from 1
     */
    void answer(int connection, Request request, DataInputStream in, DataOutputStream out)
        throws IOException;
  }

  private final ServerSocketChannel listener;
  private final Path socket;
  private final ExportInfo export;
  private final Script script;
  private final AtomicInteger connections = new AtomicInteger();

  private FakeServer(Path socket, ExportInfo export, Script script) throws IOException {
    this.socket = socket;
    this.export = export;
    this.script = script;
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    start(this::accept);
  }

  static FakeServer start(Path socket, Script script) throws IOException {
    return start(socket, SIZE, FLAGS, script);
  }

  static FakeServer start(Path socket, long size, Set<TransmissionFlag> flags, Script script)
      throws IOException {
    return new FakeServer(socket, new ExportInfo("", "", size, flags, BlockSizes.DEFAULT), script);
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "fake server");
    thread.setDaemon(true);
    thread.start();
  }

  /** The address, with these parameters. */
  NbdUri uri(Map<String, String> parameters) {
    return new NbdUri(false, "", 0, socket.toString(), "", parameters);
  }

  int connections() {
    return connections.get();
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel channel = listener.accept();
        int number = connections.incrementAndGet();
        start(() -> serve(channel, number));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(SocketChannel channel, int number) {
    try (channel) {
      DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
      OutputStream raw = Channels.newOutputStream(channel);
      shakeHands(in, raw);
      byte[] header = new byte[Request.SIZE];
      Request request = new Request();
      while (true) {
        in.readFully(header);
        request.decode(ByteBuffer.wrap(header), 0);
        ByteArrayOutputStream reply = new ByteArrayOutputStream();
        try {
          script.answer(number, request, in, new DataOutputStream(reply));
        } finally {
          raw.write(reply.toByteArray());
        }
      }
    } catch (IOException e) {
      // The client left, or the script wants the connection closed.
    }
  }

  private void shakeHands(DataInputStream in, OutputStream raw) throws IOException {
    ServerHandshake handshake =
        new ServerHandshake(
            new ServerHandshake.Exports() {
              @Override
              public List<ServerHandshake.Listed> list() {
                return List.of();
              }

              @Override
              public ExportInfo find(String name) {
                return export;
              }
            },
            false);
    HandshakeOutput out = new HandshakeOutput();
    handshake.greet(out);
    send(raw, out);
    ServerHandshake.Next next = ServerHandshake.Next.READ;
    while (next != ServerHandshake.Next.TRANSMIT) {
      byte[] unit = new byte[handshake.wanted()];
      in.readFully(unit);
      next = handshake.accept(ByteBuffer.wrap(unit), out);
      send(raw, out);
    }
  }

  private static void send(OutputStream raw, HandshakeOutput out) throws IOException {
    ByteBuffer taken = out.take();
    byte[] bytes = new byte[taken.remaining()];
    taken.get(bytes);
    raw.write(bytes);
  }

  static void simple(DataOutputStream out, int error, long cookie) throws IOException {
    out.writeInt(0x67446698);
    out.writeInt(error);
    out.writeLong(cookie);
  }

  static void chunk(DataOutputStream out, int flags, int type, long cookie, byte[] payload)
      throws IOException {
    out.writeInt(0x668e33ef);
    out.writeShort(flags);
    out.writeShort(type);
    out.writeLong(cookie);
    out.writeInt(payload.length);
    out.write(payload);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    Files.deleteIfExists(socket);
  }
}
