package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jdm.testing.Program;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code jdm mount} and {@code jdm umount}, with the real programs and with stand-ins. */
@Timeout(180)
class MountTest {
  private static final int SIZE = 16 << 20;
  private static final int SECTORS = SIZE / 512;

  @TempDir Path folder;

  private Path jdm;
  private Path point;

  @BeforeEach
  void makeFolders() throws IOException {
    jdm = Distribution.in(folder);
    point = Files.createDirectory(folder.resolve("mount point"));
  }

  private Program jdm(String path, Object... words) throws IOException {
    Object[] all = new Object[words.length + 3];
    all[0] = "XDG_RUNTIME_DIR=" + folder;
    all[1] = "PATH=" + path;
    all[2] = jdm;
    System.arraycopy(words, 0, all, 3, words.length);
    return Program.start("env", all);
  }

  private void run(Object... words) throws IOException {
    try (Program program = jdm(System.getenv("PATH"), words)) {
      assertThat(program.exitCode()).as(program.output()).isZero();
      assertThat(program.output()).isEmpty();
    }
  }

  private String fail(String path, Object... words) throws IOException {
    try (Program program = jdm(path, words)) {
      assertThat(program.exitCode()).as(program.output()).isEqualTo(1);
      return program.output();
    }
  }

  private static void needsFuse() throws IOException {
    assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse here that can be used");
    Requirement.tool("nbdfuse");
    Requirement.tool("fusermount3");
  }

  private Path fileSystem() throws IOException {
    Path image = folder.resolve("plain");
    Program.run("truncate", "-s", SIZE, image);
    Program.run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", image);
    return image;
  }

  private void assertNothingIsLeft() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("jdm"))) {
      assertThat(files).isEmpty();
    }
    assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(folder.toString());
  }

  /** Files are written through a mount of an encrypted image; e2fsck and debugfs then read it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void filesInAnEncryptedImage(boolean fuse) throws IOException {
    needsFuse();
    if (fuse) {
      Requirement.tool("fuse2fs");
    } else {
      assumeTrue("root".equals(System.getProperty("user.name")), "only root mounts loop devices");
      assumeTrue(Files.exists(Path.of("/dev/loop-control")), "no loop devices here");
    }
    Path disk = folder.resolve("disk");
    Program.run("truncate", "-s", SIZE, disk);
    Path key = Files.write(folder.resolve("key"), new byte[64]);
    String table = "0 " + SECTORS + " crypt aes-xts-plain64 @" + key + " 0 " + disk + " 0";
    run("copy", fileSystem(), table);
    byte[] content = new byte[1 << 20];
    new Random(1).nextBytes(content);

    run("mount", table, point, "--fuse=" + fuse);
    Files.write(Files.createDirectories(point.resolve("a/b")).resolve("file"), content);
    assertThat(fail(System.getenv("PATH"), "mount", table, point))
        .contains("mounted by jdm already");
    run("umount", point);

    assertNothingIsLeft();
    run("mount", "-r", table, point, "--fuse=" + fuse);
    assertThat(point.resolve("a/b/file")).hasBinaryContent(content);
    run("umount", point);
    Path plain = folder.resolve("decrypted");
    run("copy", table, plain);
    Program.run("e2fsck", "-fn", plain);
    Path dumped = folder.resolve("dumped");
    Program.run("debugfs", "-R", "dump /a/b/file " + dumped, plain);
    assertThat(dumped).hasBinaryContent(content);
  }

  @Test
  void whatHasNoFileSystemIsNotMountedAndNothingIsLeft() throws IOException {
    needsFuse();
    Requirement.tool("fuse2fs");
    assertThat(fail(System.getenv("PATH"), "mount", "--fuse", "0 2048 zero", point))
        .startsWith("jdm: fuse2fs: ");
    assertThat(fail(System.getenv("PATH"), "mount", "--fuse", "/nonexistent", point))
        .startsWith("jdm: the device cannot be served:")
        .contains("No such file or directory");
    assertNothingIsLeft();
  }

  @Test
  void allThatIsMissingIsNamedWithItsPackage() throws IOException {
    Path tools = Files.createDirectory(folder.resolve("tools"));
    for (String name : new String[] {"java", "dirname", "readlink", "sed", "sh"}) {
      standIn(tools, name, "exec " + Requirement.tool(name) + " \"$@\"");
    }
    assertThat(fail(tools.toString(), "mount", "--fuse", "mem:1M:x", point))
        .contains("jdm: nbdfuse is not on PATH: it is in the package libnbd-bin of Debian")
        .contains("jdm: fusermount3 is not on PATH: it is in the package fuse3 of Debian")
        .contains("jdm: fuse2fs is not on PATH: it is in the package fuse2fs of Debian");
  }

  /** Stand-ins write down how they are called: what is done where the real ones cannot run. */
  @Test
  void rootMountsThroughALoopDevice() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "others use fuse2fs");
    Path calls = folder.resolve("calls");
    Path tools = Files.createDirectory(folder.resolve("tools"));
    Path over = folder.resolve("over");
    standIn(
        tools,
        "nbdfuse",
        "echo \"nbdfuse $1 $2\" >>"
            + calls
            + "; echo x >\"$2\"; "
            + "while [ ! -e "
            + over
            + " ]; do sleep 0.05; done");
    standIn(tools, "mount", "echo \"mount $*\" >>" + calls);
    standIn(tools, "umount", "echo \"umount $*\" >>" + calls);
    standIn(tools, "fusermount3", "echo \"fusermount3 $*\" >>" + calls + "; : >" + over);
    String path = tools + ":" + System.getenv("PATH");
    try (Program mount = jdm(path, "mount", "-r", "mem:1M:standin", point)) {
      assertThat(mount.exitCode()).as(mount.output()).isZero();
    }
    try (Program umount = jdm(path, "umount", point)) {
      assertThat(umount.exitCode()).as(umount.output()).isZero();
    }
    assertThat(Files.readString(calls).replaceAll("\\S+/mount-[0-9a-f]+/nbd", "IMAGE"))
        .isEqualTo(
            String.join(
                "\n",
                "nbdfuse -r IMAGE",
                "mount -o loop,ro IMAGE " + point,
                "umount " + point,
                "fusermount3 -u IMAGE",
                ""));
    assertNothingIsLeft();
  }

  private static void standIn(Path folder, String name, String script) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void whatIsNotMountedCannotBeUnmounted() throws IOException {
    assertThat(fail(System.getenv("PATH"), "umount", point)).contains("nothing is mounted by jdm");
    assertThat(fail(System.getenv("PATH"), "umount", folder.resolve("none")))
        .contains("No such file or directory");
  }
}
