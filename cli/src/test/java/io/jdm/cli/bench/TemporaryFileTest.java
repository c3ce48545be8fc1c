package io.jdm.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TemporaryFileTest {
  @TempDir private Path directory;

  @Test
  void it_has_its_size_until_it_is_closed() throws IOException {
    Path path;
    try (TemporaryFile file = TemporaryFile.create(directory, 4096)) {
      path = file.path();
      assertThat(path).hasSize(4096).hasParentRaw(directory);
      Files.write(path, new byte[] {1});
      file.renew(8192);
      assertThat(path).hasBinaryContent(new byte[8192]);
    }
    assertThat(path).doesNotExist();
  }

  @Test
  void more_than_there_is_room_for_is_refused_before_anything_is_made() {
    assertThatExceptionOfType(DeviceException.class)
        .isThrownBy(() -> TemporaryFile.create(directory, 1L << 60))
        .withMessageStartingWith("No space left on device")
        .withMessageContaining("1152921504606846976")
        .withMessageContaining(directory.toString())
        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC));
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void a_folder_that_is_not_there_is_named() {
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> TemporaryFile.create(directory.resolve("nowhere"), 4096))
        .withMessageContaining("nowhere");
  }
}
