package io.jdm.nbd.server;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.nbd.ExportInfo;
import io.jdm.nbd.HandshakeOutput;
import io.jdm.nbd.ServerHandshake;
import io.jdm.nbd.transport.Input;
import io.jdm.nbd.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

/** One client: shakes hands, then lets {@link Transmission} serve it. */
final class Connection implements Runnable, ServerHandshake.Exports {
  private final NbdServer server;

  /** Replaced when TLS starts; the socket below stays the same. */
  private volatile Transport transport;

  private Export export;
  private BlockDevice device;

  Connection(NbdServer server, Transport transport) {
    this.server = server;
    this.transport = transport;
  }

  @Override
  public void run() {
    try {
      serve();
    } catch (IOException | RuntimeException | Error e) {
      server.connectionFailed(e);
    } finally {
      close();
      leave();
      server.left(this);
    }
  }

  private void serve() throws IOException {
    ServerHandshake handshake = new ServerHandshake(this, server.requiresTls());
    Future<?> deadline = server.after(server.limits().handshake(), this::close);
    try {
      if (!shakeHands(handshake)) {
        return;
      }
    } finally {
      deadline.cancel(false);
    }
    BufferPool.Lease input = server.buffers(Transmission.CHUNK).lease();
    BufferPool.Lease output = server.buffers(Transmission.CHUNK).lease();
    try {
      boolean structured = handshake.structuredReplies();
      new Transmission(
              transport,
              device,
              structured,
              handshake.allocation(),
              new Input(transport, input.buffer()),
              new ReplyBatch(structured, output.buffer()),
              server,
              "nbd/" + export.name())
          .run();
    } finally {
      input.wipeAndClose();
      output.wipeAndClose();
    }
  }

  private boolean shakeHands(ServerHandshake handshake) throws IOException {
    HandshakeOutput out = new HandshakeOutput();
    handshake.greet(out);
    transport.write(out.take());
    while (true) {
      ByteBuffer in = ByteBuffer.allocate(handshake.wanted());
      if (!transport.readFully(in)) {
        return false;
      }
      ServerHandshake.Next next = handshake.accept(in.flip(), out);
      transport.write(out.take());
      switch (next) {
        case READ -> {}
        case START_TLS -> {
          transport = server.startTls(transport);
          handshake.tlsStarted();
        }
        case TRANSMIT -> {
          return true;
        }
        case CLOSE -> {
          return false;
        }
      }
    }
  }

  @Override
  public List<ServerHandshake.Listed> list() {
    List<ServerHandshake.Listed> listed = new ArrayList<>();
    for (Export candidate : server.exports()) {
      listed.add(new ServerHandshake.Listed(candidate.name(), candidate.description()));
    }
    return listed;
  }

  @Override
  public ExportInfo find(String name) throws IOException {
    Export found = server.export(name);
    if (found == null) {
      return null;
    }
    if (found != export) {
      leave();
      device = found.join();
      export = found;
    }
    return export.info(device);
  }

  private void leave() {
    if (export != null) {
      try {
        export.leave();
      } catch (IOException e) {
        server.connectionFailed(e);
      }
      export = null;
    }
  }

  /** Lets the client's requests in flight end, and takes no more. */
  void shutdown() {
    try {
      transport.shutdownInput();
    } catch (IOException e) {
      server.connectionFailed(e);
    }
  }

  /** Cuts the client off. */
  void close() {
    try {
      transport.close();
    } catch (IOException e) {
      server.connectionFailed(e);
    }
  }
}
