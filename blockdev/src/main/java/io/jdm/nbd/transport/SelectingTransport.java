package io.jdm.nbd.transport;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/**
 * A socket in non-blocking mode with selectors to wait at: for threads of others. Their interrupts
 * neither close the socket nor are lost, and waiting has an end.
 */
public final class SelectingTransport implements Transport {
  private final SocketChannel channel;
  private final Selector readable;
  private final Selector writable;
  private volatile long timeoutNanos;

  /**
   * Takes over a channel.
   *
   * @param timeoutMillis how long to wait for any byte to move before {@link
   *     SocketTimeoutException}; 0 for ever
   */
  public SelectingTransport(SocketChannel channel, long timeoutMillis) throws IOException {
    this.channel = channel;
    setTimeout(timeoutMillis);
    channel.configureBlocking(false);
    readable = Selector.open();
    writable = Selector.open();
    channel.register(readable, SelectionKey.OP_READ);
    channel.register(writable, SelectionKey.OP_WRITE);
  }

  /** Changes how long to wait, from the next wait on. */
  public void setTimeout(long timeoutMillis) {
    timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    while (true) {
      int n = channel.read(dst);
      if (n != 0) {
        return n;
      }
      await(readable);
    }
  }

  @Override
  public void write(ByteBuffer src) throws IOException {
    while (src.hasRemaining()) {
      if (channel.write(src) == 0) {
        await(writable);
      }
    }
  }

  @Override
  public void write(ByteBuffer[] srcs, int count) throws IOException {
    int first = 0;
    while (first < count) {
      if (!srcs[first].hasRemaining()) {
        first++;
      } else if (channel.write(srcs, first, count - first) == 0) {
        await(writable);
      }
    }
  }

  /** Waits until the channel is ready; the caller's interrupt status is kept. */
  private void await(Selector selector) throws IOException {
    long start = System.nanoTime();
    boolean interrupted = false;
    try {
      while (true) {
        int ready;
        try {
          ready = selector.select(key -> {}, waitMillis(start));
        } catch (ClosedSelectorException e) {
          throw new ClosedChannelException();
        }
        if (ready > 0) {
          return;
        }
        if (!channel.isOpen()) {
          throw new ClosedChannelException();
        }
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private long waitMillis(long start) throws SocketTimeoutException {
    long timeout = timeoutNanos;
    if (timeout == 0) {
      return 0;
    }
    long left = timeout - (System.nanoTime() - start);
    if (left <= 0) {
      throw new SocketTimeoutException(
          "no byte moved for " + TimeUnit.NANOSECONDS.toMillis(timeout) + " ms");
    }
    return TimeUnit.NANOSECONDS.toMillis(left) + 1;
  }

  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      readable.close();
      writable.close();
    }
  }
}
