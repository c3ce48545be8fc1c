package io.jdm.cli.dd;

import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.FileChannel;

/** A file, a pipe or any other channel. */
abstract class ChannelEndpoint implements Endpoint {
  /** The channel if it has a position, else null. */
  final FileChannel file;

  private final Channel channel;
  private final boolean regular;

  /**
   * Owns the channel.
   *
   * @param regular whether it is known to be a regular file
   */
  ChannelEndpoint(Channel channel, boolean regular) {
    this.channel = channel;
    this.file = seekable(channel);
    this.regular = regular;
  }

  private static FileChannel seekable(Channel channel) {
    if (channel instanceof FileChannel file) {
      try {
        return file.position() >= 0 ? file : null;
      } catch (IOException e) {
        return null; // "Illegal seek": a pipe or a terminal.
      }
    }
    return null;
  }

  @Override
  public final boolean seekable() {
    return file != null;
  }

  @Override
  public final long position() throws IOException {
    return file.position();
  }

  @Override
  public final void seek(long position) throws IOException {
    file.position(position);
  }

  @Override
  public final long fileSize() throws IOException {
    return regular && file != null ? file.size() : -1;
  }

  @Override
  public final void close() throws IOException {
    channel.close();
  }
}
