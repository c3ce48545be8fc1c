package io.jdm.cli.dd;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/** {@code /dev/urandom} where the system has none. */
final class RandomSource extends EndlessEndpoint implements Source {
  private static final int CHUNK = 8192;

  private final SecureRandom random = new SecureRandom();
  private final byte[] bytes = new byte[CHUNK];

  @Override
  public int read(ByteBuffer dst) {
    int length = dst.remaining();
    while (dst.hasRemaining()) {
      random.nextBytes(bytes);
      dst.put(bytes, 0, Math.min(CHUNK, dst.remaining()));
    }
    return length;
  }
}
