package io.jdm.blockdev.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may open a file while others have it open, in this process and in another. */
class FileLockTest {
  private static OtherProcess other;

  @TempDir Path temp;
  private Path file;

  @BeforeAll
  static void startOtherProcess() throws IOException {
    other = new OtherProcess();
  }

  @AfterAll
  static void endOtherProcess() {
    other.close();
  }

  @BeforeEach
  void createFile() throws IOException {
    file = Files.write(temp.resolve("image"), new byte[4096]);
  }

  // Between processes.

  @Test
  void aWriterExcludesOtherProcesses() throws IOException {
    FileDevice device = FileDevice.open(file, true);
    assertThat(other.open(file, false)).isEqualTo("is locked by another process: file " + file);
    assertThat(other.open(file, true)).isEqualTo("is locked by another process: file " + file);
    device.close();
    assertOtherProcessMayWrite();
  }

  @Test
  void readersOfSeveralProcessesExcludeWriters() throws IOException {
    try (FileDevice device = FileDevice.open(file, false)) {
      assertThat(other.open(file, true)).contains("is locked by another process");
      assertThat(other.open(file, false)).isEqualTo("open");
      device.read(0, ByteBuffer.allocate(4096));
    }
    assertRefused("is locked by another process", () -> FileDevice.open(file, true));
    assertThat(other.closeFile()).isEqualTo("closed");
    FileDevice.open(file, true).close();
  }

  @Test
  void anUnlockedDeviceNeitherAsksNorExcludes() throws IOException {
    try (FileDevice device = FileDevice.openUnlocked(file, true)) {
      assertThat(other.open(file, true)).isEqualTo("open");
      device.write(0, ByteBuffer.allocate(512));
      try (FileDevice second = FileDevice.openUnlocked(file, false)) {
        second.read(0, ByteBuffer.allocate(512));
      }
    }
    assertThat(other.closeFile()).isEqualTo("closed");
  }

  // Within this process.

  @Test
  void aWriterExcludesOthersHereAndKeepsItsLock() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), file);
    try (FileDevice device = FileDevice.open(file, true)) {
      assertRefused("is in use by this process", () -> FileDevice.open(file, true));
      assertRefused("is in use by this process", () -> FileDevice.open(link, false));
      assertRefused("is in use by this process", () -> FileDevice.open(file, true, this));
      assertThat(other.open(file, true)).contains("is locked by another process");
      device.write(0, ByteBuffer.allocate(4096));
    }
    assertOtherProcessMayWrite();
  }

  @Test
  void readersShareAndTheLastOneUnlocks() throws IOException {
    FileDevice first = FileDevice.open(file, false);
    FileDevice second = FileDevice.open(file, false);
    assertRefused("is in use by this process", () -> FileDevice.open(file, true));
    first.close();
    second.read(0, ByteBuffer.allocate(4096));
    assertThat(other.open(file, true)).contains("is locked by another process");
    second.close();
    assertOtherProcessMayWrite();
  }

  @Test
  void anUnlockedDeviceDoesNotTakeAnothersLockAway() throws IOException {
    try (FileDevice device = FileDevice.open(file, true)) {
      FileDevice.openUnlocked(file, false).close();
      FileDevice.openUnlocked(file, true).close();
      assertThat(other.open(file, false)).contains("is locked by another process");
      device.write(0, ByteBuffer.allocate(4096));
    }
  }

  @Test
  void theLockGoesWithTheLastDeviceThatAskedForIt() throws IOException {
    try (FileDevice unlocked = FileDevice.openUnlocked(file, false)) {
      FileDevice.open(file, true).close();
      assertOtherProcessMayWrite();
      FileDevice locked = FileDevice.open(file, false);
      assertThat(other.open(file, true)).contains("is locked by another process");
      locked.close();
      unlocked.read(0, ByteBuffer.allocate(4096));
    }
  }

  @Test
  void oneHolderMayOpenAFileTwiceAndWriteLater() throws IOException {
    Object holder = new Object();
    FileDevice reader = FileDevice.open(file, false, holder);
    assertThat(other.open(file, false)).isEqualTo("open");
    assertRefused("is locked by another process", () -> FileDevice.open(file, true, holder));
    reader.read(0, ByteBuffer.allocate(4096));
    assertThat(other.closeFile()).isEqualTo("closed");

    FileDevice writer = FileDevice.open(file, true, holder);
    assertThat(other.open(file, false)).contains("is locked by another process");
    writer.write(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    ByteBuffer bytes = ByteBuffer.allocate(3);
    reader.read(0, bytes);
    assertThat(bytes.array()).containsExactly(1, 2, 3);
    DeviceException refusal =
        catchThrowableOfType(DeviceException.class, () -> reader.write(0, bytes.clear()));
    assertThat(refusal.errno()).isEqualTo(Errno.EPERM);

    writer.close();
    assertThat(other.open(file, true)).contains("is locked by another process");
    reader.close();
    assertOtherProcessMayWrite();
  }

  @Test
  void differentHoldersExcludeEachOther() throws IOException {
    try (FileDevice device = FileDevice.open(file, false, "one")) {
      FileDevice.open(file, false, "two").close();
      assertRefused("is in use by this process", () -> FileDevice.open(file, true, "two"));
      device.read(0, ByteBuffer.allocate(4096));
    }
  }

  @Test
  void aChannelOfOtherCodeHereIsRespected() throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.lock();
      assertRefused("is locked by other code of this process", () -> FileDevice.open(file, true));
    }
    FileDevice.open(file, true).close();
  }

  @Test
  void aRefusedFileStaysUsable() throws IOException {
    assertThat(other.open(file, true)).isEqualTo("open");
    for (int i = 0; i < 3; i++) {
      assertRefused("is locked by another process", () -> FileDevice.open(file, false));
    }
    assertThat(other.closeFile()).isEqualTo("closed");
    FileDevice.open(file, true).close();
  }

  private void assertOtherProcessMayWrite() throws IOException {
    assertThat(other.open(file, true)).isEqualTo("open");
    assertThat(other.closeFile()).isEqualTo("closed");
  }

  private void assertRefused(String words, ThrowingCallable open) {
    DeviceException refusal = catchThrowableOfType(DeviceException.class, open);
    assertThat(refusal).as("a refusal").isNotNull();
    assertThat(refusal.errno()).isEqualTo(Errno.EBUSY);
    assertThat(refusal).hasMessageStartingWith(words).hasMessageContaining(": file " + temp);
  }
}
