package io.jdm.blockdev.file;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract for files of this machine, in each mode, and of file systems in memory. */
@ParameterizedClass
@EnumSource
class FileDeviceContractTest extends BlockDeviceContract {
  private enum Kind {
    REAL,
    REAL_READ_ONLY,
    REAL_UNLOCKED,
    UNIX_IN_MEMORY,
    WINDOWS_IN_MEMORY
  }

  @Parameter Kind kind;
  @TempDir Path temp;

  private FileSystem inMemory;

  @AfterEach
  void closeFileSystem() throws IOException {
    if (inMemory != null) {
      inMemory.close();
    }
  }

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException {
    Path file =
        switch (kind) {
          case UNIX_IN_MEMORY -> newFileIn(Jimfs.newFileSystem(Configuration.unix()));
          case WINDOWS_IN_MEMORY -> newFileIn(Jimfs.newFileSystem(Configuration.windows()));
          default -> temp.resolve("image");
        };
    Files.write(file, content);
    return kind == Kind.REAL_UNLOCKED
        ? FileDevice.openUnlocked(file, true)
        : FileDevice.open(file, kind != Kind.REAL_READ_ONLY);
  }

  private Path newFileIn(FileSystem fileSystem) {
    inMemory = fileSystem;
    return fileSystem.getRootDirectories().iterator().next().resolve("image");
  }

  @Override
  protected boolean liesOnAnotherDevice() {
    return false;
  }
}
