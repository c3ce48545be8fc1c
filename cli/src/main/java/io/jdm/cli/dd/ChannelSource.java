package io.jdm.cli.dd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** A file, a pipe or any other channel as dd's input. */
final class ChannelSource extends ChannelEndpoint implements Source {
  private final ReadableByteChannel channel;

  ChannelSource(ReadableByteChannel channel, boolean regular) {
    super(channel, regular);
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return Math.max(0, channel.read(dst));
  }
}
