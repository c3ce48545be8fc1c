package io.jdm.cli.dd;

import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;

/** A file, a pipe or any other channel as dd's output. */
final class ChannelSink extends ChannelEndpoint implements Sink {
  private final WritableByteChannel channel;

  ChannelSink(WritableByteChannel channel, boolean regular) {
    super(channel, regular);
    this.channel = channel;
  }

  /** A stream: with the position of the file behind it, if there is one. */
  static ChannelSink ofStream(OutputStream out) {
    // Whatever can seek may have been skipped over, so all of that counts as regular.
    return new ChannelSink(Channels.newChannel(out), true);
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return channel.write(src);
  }

  @Override
  public boolean skipZeros(int length) throws IOException {
    if (file == null) {
      return false;
    }
    file.position(file.position() + length);
    return true;
  }

  @Override
  public void truncate(long size) throws IOException {
    if (size <= file.size()) {
      file.truncate(size);
    } else {
      // java.nio lengthens a file by writing only.
      file.write(ByteBuffer.allocate(1), size - 1);
    }
  }

  @Override
  public void sync(boolean metadata) throws IOException {
    if (file == null) {
      throw new IOException(Errno.EINVAL.message()); // A pipe or a terminal, as the kernel says it.
    }
    file.force(metadata);
  }
}
