package io.jdm.nbd.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A socket in blocking mode: the fewest system calls, for threads that nobody interrupts (an
 * interrupt closes the socket).
 */
public final class BlockingTransport implements Transport {
  private final SocketChannel channel;

  /** Takes over a channel in blocking mode. */
  public BlockingTransport(SocketChannel channel) {
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return channel.read(dst);
  }

  @Override
  public void write(ByteBuffer src) throws IOException {
    while (src.hasRemaining()) {
      channel.write(src);
    }
  }

  @Override
  public void write(ByteBuffer[] srcs, int count) throws IOException {
    int first = 0;
    while (first < count) {
      if (srcs[first].hasRemaining()) {
        channel.write(srcs, first, count - first);
      } else {
        first++;
      }
    }
  }

  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
