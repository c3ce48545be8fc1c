package io.jdm.cli.dd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/** A file, a pipe or any other channel as dd's output. */
final class ChannelSink extends ChannelEndpoint implements Sink {
  private final WritableByteChannel channel;

  ChannelSink(WritableByteChannel channel, boolean regular) {
    super(channel, regular);
    this.channel = channel;
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
    if (channel instanceof FileChannel any) {
      any.force(metadata);
    }
  }
}
