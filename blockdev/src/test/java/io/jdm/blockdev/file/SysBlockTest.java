package io.jdm.blockdev.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Linux's sysfs, built in memory as the kernel lays it out. */
class SysBlockTest {
  private final FileSystem fileSystem = Jimfs.newFileSystem(Configuration.unix());
  private final Path root = fileSystem.getPath("/sys/dev/block");
  private final Path disk = fileSystem.getPath("/sys/devices/virtual/block/vda");

  @BeforeEach
  void createDiskWithPartition() throws IOException {
    Files.createDirectories(root);
    Files.createDirectories(disk.resolve("queue"));
    Files.createDirectories(disk.resolve("vda1"));
    Files.writeString(disk.resolve("size"), "536870912\n");
    Files.writeString(disk.resolve("queue/logical_block_size"), "4096\n");
    Files.writeString(disk.resolve("vda1/size"), "2048\n");
    Files.createSymbolicLink(
        root.resolve("254:0"), fileSystem.getPath("../../devices/virtual/block/vda"));
    Files.createSymbolicLink(
        root.resolve("254:1"), fileSystem.getPath("../../devices/virtual/block/vda/vda1"));
  }

  @AfterEach
  void closeFileSystem() throws IOException {
    fileSystem.close();
  }

  @ParameterizedTest
  @CsvSource({
    // As stat(2) gives them: gnu_dev_makedev(3) of major and minor.
    "0xfe00, 254:0",
    "0xfe01, 254:1",
    "0x10300, 259:0",
    "0x100000, 0:256",
    "0x1fe0d, 510:13",
    "0xfffff00fffff, 65535:4294902015",
    "0x100000000800, 4104:0",
  })
  void deviceNumbersAreDecodedAsGlibcEncodesThem(String rdev, String name) {
    assertThat(SysBlock.of(root, Long.decode(rdev)).directory()).hasToString(root + "/" + name);
  }

  @Test
  void aDiskHasItsSizeAndBlockSize() throws IOException {
    SysBlock block = SysBlock.of(root, 0xfe00);
    assertThat(block.size()).isEqualTo(536870912L * 512);
    assertThat(block.logicalBlockSize()).isEqualTo(4096);
  }

  @Test
  void aPartitionHasItsOwnSizeAndTheBlockSizeOfItsDisk() throws IOException {
    SysBlock block = SysBlock.of(root, 0xfe01);
    assertThat(block.size()).isEqualTo(2048 * 512);
    assertThat(block.logicalBlockSize()).isEqualTo(4096);
  }

  @Test
  void anUnknownDeviceIsAnError() {
    assertThatThrownBy(() -> SysBlock.of(root, 0xfe02).size())
        .isInstanceOf(NoSuchFileException.class);
  }

  @ParameterizedTest
  @CsvSource({"many", "-1", "18014398509481984", "''"})
  void aSizeThatIsNoneIsAnError(String size) throws IOException {
    Files.writeString(disk.resolve("size"), size);
    assertThatThrownBy(() -> SysBlock.of(root, 0xfe00).size())
        .isExactlyInstanceOf(IOException.class)
        .hasMessageStartingWith("/sys/d")
        .hasMessageContaining(size);
  }

  @ParameterizedTest
  @CsvSource({"0", "500", "-512", "4294967296"})
  void aBlockSizeThatIsNoneIsAnError(String size) throws IOException {
    Files.writeString(disk.resolve("queue/logical_block_size"), size);
    assertThatThrownBy(() -> SysBlock.of(root, 0xfe00).logicalBlockSize())
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining(size)
        .hasMessageContaining("not a power of two");
  }

  @Test
  void otherFilesAreNoBlockDevices() throws IOException {
    assertThat(SysBlock.isBlockDevice(disk.resolve("size"))).isFalse();
    try (FileSystem windows = Jimfs.newFileSystem(Configuration.windows())) {
      Path file = Files.createFile(windows.getPath("C:\\file"));
      assertThat(SysBlock.isBlockDevice(file)).isFalse();
    }
  }
}
