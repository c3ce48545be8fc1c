package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code jdm copy}: files, mapped devices and remote exports, in and out. */
@Timeout(120)
class CopyCommandTest {
  private static final int SIZE = 6 << 20;

  @TempDir Path folder;

  private final byte[] content = new byte[SIZE];
  private Path image;

  @BeforeEach
  void makeImage() throws IOException {
    new Random(1).nextBytes(content);
    Arrays.fill(content, 1 << 20, 3 << 20, (byte) 0);
    image = Files.write(folder.resolve("image"), content);
  }

  private static InProcess copied(Object... words) {
    InProcess jdm = InProcess.jdm(Arrays.stream(words).map(Object::toString).toList());
    assertThat(jdm.code()).as(jdm.err()).isZero();
    return jdm;
  }

  private String crypt(Path disk) throws IOException {
    Path key = folder.resolve("key");
    Files.write(key, Arrays.copyOf(content, 64));
    return "c,,,rw,0 " + SIZE / 512 + " crypt aes-xts-plain64 @" + key + " 0 " + disk + " 8";
  }

  @Test
  void aNewFileIsMadeAndSparse() throws IOException {
    Path copy = folder.resolve("copy");
    String json = copied("copy", image, copy, "--verify", "--json").text();
    assertThat(copy).hasBinaryContent(content);
    assertThat(json).contains("\"bytes\" : 6291456", "\"zeros\" : 2097152", "\"verified\" : true");
    int blocks = Integer.parseInt(Program.run("stat", "-c", "%b", copy).strip());
    assertThat(512 * blocks).isLessThan(5 << 20);
  }

  @Test
  void intoAnEncryptedImageAndOut() throws IOException {
    Path disk = folder.resolve("disk");
    byte[] old = new byte[SIZE + 4096];
    new Random(2).nextBytes(old);
    Files.write(disk, old);
    Path copy = folder.resolve("copy");
    copied("--map", crypt(disk), "copy", image, "c", "--verify");
    copied("--map", crypt(disk), "copy", "/dev/mapper/c", copy);
    assertThat(copy).hasBinaryContent(content);
    byte[] cipher = Files.readAllBytes(disk);
    assertThat(Arrays.copyOf(cipher, 4096)).isEqualTo(Arrays.copyOf(old, 4096));
    for (int at = 4096 + (1 << 20); at < 4096 + (3 << 20); at += 512) {
      byte[] sector = Arrays.copyOfRange(cipher, at, at + 512);
      assertThat(sector)
          .as("zeros are encrypted")
          .isNotEqualTo(Arrays.copyOfRange(old, at, at + 512))
          .isNotEqualTo(new byte[512]);
    }
  }

  @Test
  void toAndFromARemoteExport() throws IOException {
    Path remote = Files.write(folder.resolve("remote"), new byte[SIZE + 512]);
    Path socket = folder.resolve("sock");
    Path copy = folder.resolve("copy");
    try (Program server = Program.start("nbdkit", "-f", "-U", socket, "file", remote)) {
      String uri = "nbd+unix:///?socket=" + socket;
      copied("copy", image, uri);
      copied("copy", uri, copy, "--verify", "--threads", "1");
      assertThat(server.isRunning()).isTrue();
    }
    assertThat(Files.readAllBytes(copy)).hasSize(SIZE + 512).startsWith(content);
  }

  @Test
  void resumingWritesOnlyWhatDiffers() throws IOException {
    byte[] partial = content.clone();
    Arrays.fill(partial, 4 << 20, SIZE, (byte) 0);
    Path copy = Files.write(folder.resolve("copy"), partial);
    assertThat(copied("copy", image, copy, "--resume", "--json").text())
        .contains("\"written\" : 2097152", "\"same\" : 4194304");
    assertThat(copy).hasBinaryContent(content);
  }

  private static void assertRefused(String reason, Object... words) {
    InProcess jdm = InProcess.jdm(Arrays.stream(words).map(Object::toString).toList());
    assertThat(jdm.code()).isEqualTo(1);
    assertThat(jdm.err()).startsWith("jdm: ").contains(reason);
  }

  @Test
  void whatCannotBeCopiedIsRefused() throws IOException {
    Path small = Files.write(folder.resolve("small"), new byte[512]);
    assertRefused("the destination only 512", "copy", image, small);
    assertRefused("are the same device", "copy", image, "file:" + image);
    assertRefused("No such file or directory", "copy", folder.resolve("none"), small);
    assertRefused("No such file or directory", "copy", image, folder.resolve("none/copy"));
    assertRefused("nothing is known of the scheme 'mme'", "copy", image, "mme:1M:x");
    assertRefused("--threads 65 is more than 64", "copy", image, small, "--threads", "65");
    assertRefused("missing operand DST", "copy", image);
    assertThat(small).hasBinaryContent(new byte[512]);
    assertThat(folder.resolve("none")).doesNotExist();
  }
}
