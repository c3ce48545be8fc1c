package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.file.FileDevice;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small requests allocate nothing, down to the file. */
final class CryptAllocationTest {
  private static final int REQUESTS = 20_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir Path dir;

  @FunctionalInterface
  private interface Request {
    void run(long offset) throws IOException;
  }

  private static long allocatedBy(Request request) throws IOException {
    for (int i = 0; i < REQUESTS; i++) {
      request.run((i % 256) * 4096L);
    }
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < REQUESTS; i++) {
      request.run((i % 256) * 4096L);
    }
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gcrypt aes-xts-plain64",
        "gcrypt aes-cbc-essiv:sha256",
        "jdk aes-xts-plain64",
        "conscrypt aes-xts-plain64"
      })
  void requestsAllocateNothing(String engineAndCipher) throws IOException {
    String engine = engineAndCipher.split(" ")[0];
    String cipher = engineAndCipher.split(" ")[1];
    String key = cipher.contains("xts") ? CryptFixture.KEY : CryptFixture.KEY.substring(64);
    String table = "0 2048 crypt " + cipher + " " + key + " 0 DEV 0";
    ByteBuffer direct = ByteBuffer.allocateDirect(4096);
    ByteBuffer heap = ByteBuffer.allocate(4096);
    try (BlockDevice file = FileDevice.create(dir.resolve("image"), 1 << 20);
        CryptFixture crypt = CryptFixture.openOrSkip(table, file, engine)) {
      for (ByteBuffer buffer : new ByteBuffer[] {direct, heap}) {
        assertThat(allocatedBy(offset -> crypt.target().read(offset, buffer.clear())))
            .as("bytes allocated by %d reads", REQUESTS)
            .isLessThan(REQUESTS);
        assertThat(allocatedBy(offset -> crypt.target().write(offset, buffer.clear(), false)))
            .as("bytes allocated by %d writes", REQUESTS)
            .isLessThan(REQUESTS);
      }
    }
  }
}
