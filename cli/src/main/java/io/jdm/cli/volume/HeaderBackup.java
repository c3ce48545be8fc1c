package io.jdm.cli.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Sectors;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.Volume;
import io.jdm.volume.luks1.Luks1Volume;
import io.jdm.volume.luks2.Luks2Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
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

  private HeaderBackup() {}

  /**
   * Writes all that opens a volume to a new file that only its owner can read.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is such a file
   */
  public static void write(BlockDevice device, Volume volume, Path file) throws IOException {
    byte[] header = HeaderBytes.read(device, 0, size(volume));
    FileAttribute<?>[] attributes =
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    try (FileChannel channel =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
      ByteBuffer bytes = ByteBuffer.wrap(header);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
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

  private static int size(Volume volume) {
    if (volume instanceof Luks2Volume luks2) {
      return (int) (2L * luks2.headerSize() + luks2.keyslotsSize());
    }
    Luks1Volume luks1 = (Luks1Volume) volume;
    long step = luks1.keySize() * 4000L;
    long end =
        luks1.keyslots().stream()
            .mapToLong(keyslot -> Sectors.toBytes(keyslot.materialOffset()) + step)
            .max()
            .orElse(0);
    return (int) Math.max(end + Sectors.SIZE - 1, Sectors.toBytes(luks1.payloadOffset()));
  }
}
