package io.jdm.cli.dd;

import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;

/** {@code /dev/null} on every system. */
final class NullSink extends EndlessEndpoint implements Sink {
  @Override
  public int write(ByteBuffer src) {
    int length = src.remaining();
    src.position(src.limit());
    return length;
  }

  @Override
  public boolean skipZeros(int length) {
    return true;
  }

  @Override
  public void truncate(long size) {}

  @Override
  public void sync(boolean metadata) throws IOException {
    throw new IOException(Errno.EINVAL.message()); // As the kernel says it of its own.
  }
}
