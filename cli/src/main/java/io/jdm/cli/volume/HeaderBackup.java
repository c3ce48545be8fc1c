package io.jdm.cli.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.Volume;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.luks1.Luks1Volume;
import io.jdm.volume.luks2.Luks2Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Set;

/** Copies of headers with their keyslots, which open the volume as the header does. */
public final class HeaderBackup {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  private static final int PAGE = 4096;

  /** Bytes of the largest header that LUKS2 can have; those of LUKS1 have some MiB. */
  private static final long MAX_SIZE = 136L << 20;

  private HeaderBackup() {}

  /**
   * Writes all that opens a volume to a new file that only its owner can read.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is such a file
   */
  public static void write(BlockDevice device, Volume volume, Path file) throws IOException {
    long size = size(volume);
    FileAttribute<?>[] attributes =
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    try (FileChannel channel =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
      ByteBuffer bytes = ByteBuffer.wrap(HeaderBytes.read(device, 0, (int) size));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException e) {
      Files.deleteIfExists(file); // Half a copy opens nothing.
      throw e;
    }
  }

  /**
   * Writes it beside the image: {@code IMAGE.header-TIME}.
   *
   * @return the file
   */
  public static Path writeBeside(BlockDevice device, Volume volume, String image)
      throws IOException {
    Path file =
        Path.of(image + ".header-" + TIME.format(LocalDateTime.now(ZoneId.systemDefault())));
    write(device, volume, file);
    return file;
  }

  /** Up to the end of the last keyslot, in whole pages, as cryptsetup's copies are. */
  private static long size(Volume volume) throws VolumeException {
    long end;
    if (volume instanceof Luks2Volume luks2) {
      end = 2L * luks2.headerSize() + luks2.keyslotsSize();
    } else {
      end = ((Luks1Volume) volume).keyslotsEnd();
    }
    if (end > MAX_SIZE) {
      throw VolumeException.of(
          Reason.REFUSED,
          volume.format(),
          "the header with its keyslots has "
              + end
              + " bytes, at most "
              + MAX_SIZE
              + " are copied");
    }
    return (end + PAGE - 1) & -PAGE;
  }
}
