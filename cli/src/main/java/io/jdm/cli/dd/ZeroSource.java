package io.jdm.cli.dd;

import io.jdm.blockdev.io.BufferPool;
import java.nio.ByteBuffer;

/**
 * {@code /dev/zero} on every system. A buffer that it has filled once stays full of zeros, since dd
 * changes no input buffer it will read into again; it is not filled a second time.
 */
final class ZeroSource extends EndlessEndpoint implements Source {
  private ByteBuffer zeroed;

  @Override
  @SuppressWarnings("ReferenceEquality") // The same buffer is meant, not equal bytes.
  public int read(ByteBuffer dst) {
    if (dst != zeroed) {
      int position = dst.position();
      int limit = dst.limit();
      BufferPool.zero(dst);
      dst.limit(limit).position(position);
      zeroed = dst;
    }
    int length = dst.remaining();
    dst.position(dst.limit());
    return length;
  }
}
