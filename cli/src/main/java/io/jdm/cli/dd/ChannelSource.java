package io.jdm.cli.dd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;

/** A file, a pipe or any other channel as dd's input. */
final class ChannelSource extends ChannelEndpoint implements Source {
  private final ReadableByteChannel channel;

  ChannelSource(ReadableByteChannel channel, boolean regular) {
    super(channel, regular);
    this.channel = channel;
  }

  /** A stream: with the position of the file behind it, if there is one. */
  static ChannelSource ofStream(InputStream in) {
    ReadableByteChannel channel = Channels.newChannel(in);
    return new ChannelSource(channel, channel instanceof FileChannel file && hasBytes(file));
  }

  /** What can be seen of an open file: only a regular one, or a disk, has bytes. */
  private static boolean hasBytes(FileChannel file) {
    try {
      return file.size() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return Math.max(0, channel.read(dst));
  }
}
