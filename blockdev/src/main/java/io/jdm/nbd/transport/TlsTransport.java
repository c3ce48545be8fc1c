package io.jdm.nbd.transport;

import io.jdm.blockdev.io.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * TLS over another transport, through the JDK's engine. As many records as fit go into one system
 * call.
 */
public final class TlsTransport implements Transport {
  private static final int RECORDS = 16;

  private final Transport below;
  private final SSLEngine engine;

  /** What came from the network and is not decrypted yet: between position and limit. */
  private final ByteBuffer received;

  /** What is decrypted and did not fit the reader's buffer: between position and limit. */
  private final ByteBuffer plain;

  /** Guards {@link #sending} and the engine's sending side: the reader answers some records. */
  private final ReentrantLock sendLock = new ReentrantLock();

  private final ByteBuffer sending;
  private final ByteBuffer[] single = new ByteBuffer[1];

  private TlsTransport(Transport below, SSLEngine engine) {
    this.below = below;
    this.engine = engine;
    int packet = engine.getSession().getPacketBufferSize();
    received = BufferPool.allocateAligned(RECORDS * packet).limit(0);
    sending = BufferPool.allocateAligned(RECORDS * packet);
    plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).limit(0);
  }

  /**
   * Shakes hands.
   *
   * @param below the transport, which the result owns; bytes must not have been read ahead
   * @param engine in client or server mode, fresh
   * @throws IOException if the other side is not accepted, or does not accept this one
   */
  public static TlsTransport handshake(Transport below, SSLEngine engine) throws IOException {
    TlsTransport transport = new TlsTransport(below, engine);
    engine.beginHandshake();
    HandshakeStatus status = engine.getHandshakeStatus();
    ByteBuffer nothing = ByteBuffer.allocate(0);
    while (status != HandshakeStatus.FINISHED && status != HandshakeStatus.NOT_HANDSHAKING) {
      switch (status) {
        case NEED_WRAP -> {
          try {
            status = transport.wrap(new ByteBuffer[] {nothing}, 1);
          } finally {
            transport.flushSending();
          }
        }
        case NEED_TASK -> {
          transport.runTasks();
          status = engine.getHandshakeStatus();
        }
        default -> {
          SSLEngineResult result;
          try {
            result = transport.unwrap(transport.plain.clear());
          } catch (SSLException e) {
            transport.sendAlert();
            throw e;
          } finally {
            transport.plain.flip();
          }
          if (result == null) {
            throw new IOException("connection ended during the TLS handshake");
          }
          status = result.getHandshakeStatus();
        }
      }
    }
    return transport;
  }

  /** Tells the other side why, if it still listens. */
  private void sendAlert() {
    try {
      wrap(new ByteBuffer[] {ByteBuffer.allocate(0)}, 1);
      flushSending();
    } catch (IOException e) {
      // It is told in vain: the reason is what counts.
    }
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    while (true) {
      if (plain.hasRemaining()) {
        int n = Math.min(plain.remaining(), dst.remaining());
        dst.put(dst.position(), plain, plain.position(), n).position(dst.position() + n);
        plain.position(plain.position() + n);
        return n;
      }
      int before = dst.position();
      boolean direct = dst.remaining() >= plain.capacity();
      SSLEngineResult result;
      if (direct) {
        result = unwrap(dst);
      } else {
        try {
          result = unwrap(plain.clear());
        } finally {
          plain.flip();
        }
      }
      if (result == null || result.getStatus() == Status.CLOSED) {
        return -1;
      }
      switch (result.getHandshakeStatus()) {
        case NEED_TASK -> runTasks();
        case NEED_WRAP -> answer();
        default -> {}
      }
      if (dst.position() > before) {
        return dst.position() - before;
      }
    }
  }

  /**
   * Decrypts the next record, reading as much as it takes.
   *
   * @return null at the end of the stream
   */
  private SSLEngineResult unwrap(ByteBuffer dst) throws IOException {
    while (true) {
      SSLEngineResult result = engine.unwrap(received, dst);
      if (result.getStatus() != Status.BUFFER_UNDERFLOW) {
        return result;
      }
      received.compact();
      int n;
      try {
        n = below.read(received);
      } finally {
        received.flip();
      }
      if (n < 0) {
        return null;
      }
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  /** Sends what the protocol asks for in reply to a record. */
  private void answer() throws IOException {
    sendLock.lock();
    try {
      wrap(new ByteBuffer[] {ByteBuffer.allocate(0)}, 1);
      flushSending();
    } finally {
      sendLock.unlock();
    }
  }

  @Override
  public void write(ByteBuffer src) throws IOException {
    sendLock.lock();
    try {
      single[0] = src;
      writeLocked(single, 1);
    } finally {
      single[0] = null;
      sendLock.unlock();
    }
  }

  @Override
  public void write(ByteBuffer[] srcs, int count) throws IOException {
    sendLock.lock();
    try {
      writeLocked(srcs, count);
    } finally {
      sendLock.unlock();
    }
  }

  private void writeLocked(ByteBuffer[] srcs, int count) throws IOException {
    while (anythingLeft(srcs, count)) {
      wrap(srcs, count);
    }
    flushSending();
  }

  private static boolean anythingLeft(ByteBuffer[] srcs, int count) {
    for (int i = 0; i < count; i++) {
      if (srcs[i].hasRemaining()) {
        return true;
      }
    }
    return false;
  }

  /** Encrypts one more record into {@link #sending}, making room first. */
  private HandshakeStatus wrap(ByteBuffer[] srcs, int count) throws IOException {
    while (true) {
      SSLEngineResult result = engine.wrap(srcs, 0, count, sending);
      switch (result.getStatus()) {
        case BUFFER_OVERFLOW -> flushSending();
        case CLOSED -> {
          if (anythingLeft(srcs, count)) {
            throw new SSLException("the other side has closed TLS");
          }
          return result.getHandshakeStatus();
        }
        default -> {
          return result.getHandshakeStatus();
        }
      }
    }
  }

  private void flushSending() throws IOException {
    sending.flip();
    try {
      below.write(sending);
    } finally {
      sending.clear();
    }
  }

  @Override
  public void shutdownInput() throws IOException {
    below.shutdownInput();
  }

  @Override
  public void close() throws IOException {
    below.close();
  }
}
