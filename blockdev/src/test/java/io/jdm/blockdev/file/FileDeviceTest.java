package io.jdm.blockdev.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.testing.Allocation;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDeviceTest {
  private static final long TEBI = 1L << 40;

  @TempDir Path temp;

  // Opening.

  @Test
  void aMissingFileIsNamed() {
    assertRefused(Errno.ENOENT, "No such file or directory", temp.resolve("nothing"));
  }

  @Test
  void aDirectoryIsNoDevice() {
    assertRefused(Errno.EISDIR, "is a directory", temp);
  }

  @Test
  void aDirectoryInTheMiddleOfThePathMustBeOne() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    assertRefused(Errno.ENOTDIR, "Not a directory", file.resolve("below"));
  }

  @Test
  void aCharacterDeviceIsNoDevice() {
    Path zero = Path.of("/dev/zero");
    assertRefused(
        Errno.ENOTBLK,
        "neither a regular file nor a block device",
        Files.exists(zero) ? zero : Requirement.missing("/dev/zero"));
  }

  @Test
  void aFileWithoutPermissionIsRefused() {
    // Nobody may write this one, not even root.
    Path readOnly = Path.of("/sys/kernel/uevent_seqnum");
    if (!Files.exists(readOnly)) {
      Requirement.missing(readOnly.toString());
    }
    DeviceException refusal =
        catchThrowableOfType(DeviceException.class, () -> FileDevice.open(readOnly, true));
    assertThat(refusal.errno()).isEqualTo(Errno.EACCES);
    assertThat(refusal).hasMessage("cannot be opened: Permission denied: file " + readOnly);
  }

  @Test
  void aReadOnlyFileIsNotTouched() throws IOException {
    Path file = Files.write(temp.resolve("file"), new byte[] {1, 2, 3});
    try (FileDevice device = FileDevice.open(file, false)) {
      assertThat(device.capabilities()).isEmpty();
      assertThat(device.size()).isEqualTo(3);
    }
    assertThat(file).hasBinaryContent(new byte[] {1, 2, 3});
  }

  @Test
  void withoutABindingThereIsNoDiscard() throws IOException {
    try (FileDevice device = FileDevice.create(temp.resolve("file"), 4096)) {
      assertThat(device.capabilities()).containsExactly(Capability.WRITE);
    }
  }

  // Creating, and sparse files.

  @Test
  void aNewFileIsSparseAndHasItsSize() throws Exception {
    Path file = temp.resolve("new");
    try (FileDevice device = FileDevice.create(file, 1L << 30)) {
      assertThat(device.size()).isEqualTo(1L << 30);
      assertThat(Files.size(file)).isEqualTo(1L << 30);
      device.flush();
      assertThat(allocatedBytes(file)).isZero();
    }
  }

  @Test
  void whatIsThereIsNotCreatedAgain() throws IOException {
    Path file = Files.write(temp.resolve("file"), new byte[] {7});
    DeviceException refusal =
        catchThrowableOfType(DeviceException.class, () -> FileDevice.create(file, 100));
    assertThat(refusal.errno()).isEqualTo(Errno.EEXIST);
    assertThat(refusal).hasMessage("cannot be created: File exists: file " + file);
    assertThat(file).hasBinaryContent(new byte[] {7});
  }

  @Test
  void aFileLargerThanTheFileSystemCanHoldIsNotCreated() {
    Path file = temp.resolve("huge");
    DeviceException refusal =
        catchThrowableOfType(
            DeviceException.class, () -> FileDevice.create(file, Long.MAX_VALUE - 4096));
    assertThat(refusal.errno()).isEqualTo(Errno.EFBIG);
    assertThat(file).doesNotExist();
  }

  @Test
  void aTebibyteWorksAtBothEndsAndStaysSparse() throws Exception {
    Path file = temp.resolve("tebi");
    byte[] data = new byte[8192];
    Arrays.fill(data, (byte) 0x5a);
    try (FileDevice device = FileDevice.create(file, TEBI)) {
      device.write(0, ByteBuffer.wrap(data));
      device.writeFua(TEBI - data.length, ByteBuffer.wrap(data));
      device.flush();
      assertThat(read(device, 0, data.length)).isEqualTo(data);
      assertThat(read(device, TEBI / 2, data.length)).isEqualTo(new byte[data.length]);
      assertThat(read(device, TEBI - data.length, data.length)).isEqualTo(data);
    }
    assertThat(Files.size(file)).isEqualTo(TEBI);
    assertThat(allocatedBytes(file)).isLessThan(1 << 20);
  }

  @Test
  void anEmptyFileIsAnEmptyDevice() throws IOException {
    try (FileDevice device = FileDevice.create(temp.resolve("empty"), 0)) {
      assertThat(device.size()).isZero();
      device.read(0, ByteBuffer.allocate(0));
    }
  }

  // Failures.

  @Test
  void aFileThatWasTruncatedGivesAShortReadThatSaysWhere() throws IOException {
    Path file = temp.resolve("file");
    try (FileDevice device = FileDevice.create(file, 10_000)) {
      truncate(file, 5_000);
      assertFails(
          Errno.EIO,
          "short read of 1000 bytes at 5000: the file ends at 5000: file " + file,
          () -> read(device, 4_000, 2_000));
      assertThat(read(device, 0, 5_000)).isEqualTo(new byte[5_000]);
    }
  }

  @Test
  void aFullFileSystemIsSaidToBeFull() throws IOException {
    int room = 1 << 20;
    try (FileSystem small =
        Jimfs.newFileSystem(Configuration.unix().toBuilder().setMaxSize(room).build())) {
      Path file = small.getPath("/image");
      try (FileDevice device = FileDevice.create(file, room / 2)) {
        truncate(file, 0);
        Files.write(small.getPath("/other"), new byte[room - 8192]);
        assertFails(
            Errno.ENOSPC,
            "write of " + room / 2 + " bytes at 0 failed: No space left on device: file /image",
            () -> device.write(0, ByteBuffer.allocate(room / 2)));
      }
    }
  }

  @Test
  void aFileThatDoesNotFitIsNotCreated() throws IOException {
    try (FileSystem small =
        Jimfs.newFileSystem(Configuration.unix().toBuilder().setMaxSize(1 << 20).build())) {
      Path file = small.getPath("/image");
      assertFails(
          Errno.ENOSPC,
          "write of 1 bytes at 4194304 failed: No space left on device: file /image",
          () -> FileDevice.create(file, 4 << 20));
      assertThat(Files.exists(file)).isFalse();
    }
  }

  @Test
  void closingDuringRequestsEndsThemWithoutHarm() throws Exception {
    for (int round = 0; round < 20; round++) {
      FileDevice device = FileDevice.create(temp.resolve("file" + round), 1 << 20);
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (true) {
                    device.read(0, ByteBuffer.allocateDirect(1 << 20));
                  }
                } catch (IOException e) {
                  if (DeviceException.errnoOf(e) != Errno.ENODEV) {
                    throw new IllegalStateException(e);
                  }
                }
              });
      Throwable[] failure = new Throwable[1];
      reader.setUncaughtExceptionHandler((thread, e) -> failure[0] = e);
      reader.start();
      device.close();
      reader.join();
      assertThat(failure[0]).isNull();
    }
  }

  // Costs.

  @Test
  void smallRequestsAllocateNothing() throws IOException {
    try (FileDevice device = FileDevice.create(temp.resolve("file"), 1 << 20)) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
      Allocation.assertNone(
          i -> {
            device.write((i & 255) * 4096L, buffer.clear());
            device.read((i & 255) * 4096L, buffer.clear());
          });
    }
  }

  // Helpers.

  private static void truncate(Path file, long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }

  private static long allocatedBytes(Path file) throws Exception {
    Process stat =
        new ProcessBuilder(Requirement.tool("stat").toString(), "-c", "%b", file.toString())
            .start();
    try (var output = stat.inputReader()) {
      return 512 * Long.parseLong(output.readLine());
    }
  }

  private static byte[] read(BlockDevice device, long offset, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(length);
    device.read(offset, dst);
    return dst.array();
  }

  private static void assertRefused(Errno errno, String words, Path path) {
    for (boolean writable : new boolean[] {false, true}) {
      DeviceException refusal =
          catchThrowableOfType(DeviceException.class, () -> FileDevice.open(path, writable));
      assertThat(refusal.errno()).isEqualTo(errno);
      assertThat(refusal).hasMessageContaining(words).hasMessageEndingWith(": file " + path);
    }
  }

  private static void assertFails(Errno errno, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(DeviceException.class, e -> assertThat(e.errno()).isEqualTo(errno))
        .hasMessage(message);
  }
}
