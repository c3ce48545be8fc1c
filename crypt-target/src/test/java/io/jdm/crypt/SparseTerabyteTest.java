package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.file.FileDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nothing grows with the image: a heap of 48 MiB is plenty for a terabyte. */
final class SparseTerabyteTest {
  private static final long SIZE = 1L << 40;
  private static final int REQUEST = 8 << 20;

  @TempDir Path dir;

  @Test
  void bothEndsInALittleHeap() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-cp",
                System.getProperty("java.class.path"),
                SparseTerabyteTest.class.getName(),
                dir.resolve("image").toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
  }

  /** What runs in the little heap; its argument is the image to be made. */
  public static void main(String[] args) throws IOException {
    String table = "0 " + SIZE / 512 + " crypt aes-xts-plain64 " + CryptFixture.KEY + " 0 DEV 0";
    byte[] data = new byte[REQUEST];
    new Random(1).nextBytes(data);
    try (BlockDevice image = FileDevice.create(Path.of(args[0]), SIZE);
        CryptFixture crypt = CryptFixture.open(table, image)) {
      for (long offset : new long[] {0, SIZE - REQUEST, 0}) {
        crypt.write(offset, data);
        if (!Arrays.equals(crypt.read(offset, REQUEST), data)) {
          throw new IOException("read back something else at " + offset);
        }
        for (int i = 0; i < 4096; i++) {
          crypt.target().read(offset + 512L * i, ByteBuffer.allocate(512));
        }
      }
    }
  }
}
