package io.jdm.crypt.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.file.FileDevice;
import io.jdm.testing.Requirement;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files whose discards and zeros are holes: the contract, and that the holes are real. */
class HolesContractTest extends BlockDeviceContract {
  private static final int MEBI = 1 << 20;

  @TempDir Path temp;

  @BeforeAll
  static void needsLinux() {
    if (!new LinuxHolePuncher().isAvailable()) {
      Requirement.missing("fallocate(2) of 64-bit Linux");
    }
  }

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException {
    return FileDevice.open(Files.write(temp.resolve("image"), content), true);
  }

  @Override
  protected boolean liesOnAnotherDevice() {
    return false;
  }

  @Test
  void aFileDeviceFindsTheBinding() throws IOException {
    try (BlockDevice device = open(new byte[SIZE], UnaryOperator.identity())) {
      assertThat(device.capabilities()).contains(Capability.DISCARD, Capability.FAST_ZERO);
    }
  }

  @Test
  void discardAndWriteZeroesGiveBlocksBack() throws IOException {
    Path file = temp.resolve("image");
    byte[] data = new byte[MEBI];
    Arrays.fill(data, (byte) 0x77);
    try (FileDevice device = FileDevice.create(file, 4L * MEBI)) {
      for (int i = 0; i < 4; i++) {
        device.write((long) i * MEBI, ByteBuffer.wrap(data));
      }
      device.flush();
      assertThat(allocatedBytes(file)).isGreaterThanOrEqualTo(4L * MEBI);
      device.discard(MEBI, MEBI);
      assertThat(allocatedBytes(file)).isBetween(3L * MEBI, 3L * MEBI + 65_536);
      // Not on block boundaries: the whole blocks go, the parts at both ends become zeros.
      device.writeZeroes(2L * MEBI + 100, MEBI + 100);
      assertThat(allocatedBytes(file)).isBetween(2L * MEBI, 2L * MEBI + 65_536);
      byte[] expected = new byte[3 * MEBI];
      Arrays.fill(expected, MEBI, MEBI + 100, (byte) 0x77);
      Arrays.fill(expected, 2 * MEBI + 200, 3 * MEBI, (byte) 0x77);
      ByteBuffer found = ByteBuffer.allocate(3 * MEBI);
      device.read(MEBI, found);
      assertThat(found.array()).isEqualTo(expected);
    }
    assertThat(Files.size(file)).isEqualTo(4L * MEBI);
  }

  @Test
  void aHoleLargerThanIntegersIsOneRequest() throws IOException {
    Path file = temp.resolve("image");
    long size = 1L << 40;
    try (FileDevice device = FileDevice.create(file, size)) {
      device.write(0, ByteBuffer.allocate(4096).put(0, (byte) 1));
      device.write(size - 4096, ByteBuffer.allocate(4096).put(0, (byte) 1));
      device.writeZeroes(0, size);
      assertThat(allocatedBytes(file)).isZero();
    }
  }

  @Test
  void theLockOutlivesTheSecondDescriptor() throws IOException {
    Path file = Files.write(temp.resolve("image"), new byte[8192]);
    try (FileDevice device = FileDevice.open(file, true)) {
      device.discard(0, 4096);
      assertThat(isLockedForOthers(file)).isTrue();
    }
    assertThat(isLockedForOthers(file)).isFalse();
  }

  /** Whether the kernel lists a lock on the file. */
  private static boolean isLockedForOthers(Path file) throws IOException {
    String inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
    return Files.readString(Path.of("/proc/locks")).contains(inode);
  }

  private static long allocatedBytes(Path file) throws IOException {
    String stat = Requirement.tool("stat").toString();
    Process process = new ProcessBuilder(stat, "-c", "%b", file.toString()).start();
    try (BufferedReader output = process.inputReader()) {
      return 512 * Long.parseLong(output.readLine());
    }
  }
}
