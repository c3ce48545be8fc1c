package io.jdm.blockdev.file;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A file as a block device: an image on any {@link java.nio.file} provider, or one of Linux's own
 * block devices. The size is that at the time of opening.
 *
 * <p><b>Locks.</b> The file is locked while it is open, exclusively if it is writable, else shared
 * with other readers. The same rules hold within this process, except between devices that were
 * opened for the same holder: the device mapper's tables share their files. All devices on one file
 * share one channel. On POSIX systems the lock is lost when other code of this process opens the
 * file and closes it again; that is fcntl(2)'s rule and not ours to change.
 *
 * <p><b>Interrupts.</b> java.nio closes a channel when a thread in it is interrupted. Here the
 * interrupt is kept from the channel where possible; else the file is opened again, if it still is
 * the same, and the request repeated. The caller's interrupt status is kept.
 *
 * <p><b>Holes.</b> Discard and write-zeroes punch holes where a {@link HolePuncher} is present and
 * the file system can. Otherwise there is no {@link Capability#DISCARD}, and zeros are written. The
 * same finds the holes for {@link #extent}; without it everything is data.
 */
public final class FileDevice extends BlockDevice {
  private static final Set<Capability> READ_ONLY = Set.of();
  private static final Set<Capability> WRITE =
      Collections.unmodifiableSet(EnumSet.of(Capability.WRITE));
  private static final Set<Capability> WRITE_AND_PUNCH =
      Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

  private final Path path;
  private final OpenFile file;
  private final OpenFile.Use use;
  private final long size;
  private final Limits limits;
  private final Set<Capability> capabilities;

  private FileDevice(Path path, OpenFile file, OpenFile.Use use, boolean writable)
      throws IOException {
    this.path = path;
    this.file = file;
    this.use = use;
    this.size = file.size();
    this.limits = file.limits();
    this.capabilities = !writable ? READ_ONLY : file.canPunch() ? WRITE_AND_PUNCH : WRITE;
  }

  /**
   * Opens a file and locks it.
   *
   * @param writable whether it can be written; the lock is then exclusive
   * @throws DeviceException {@link Errno#ENOENT}, {@link Errno#EACCES}, {@link Errno#EISDIR},
   *     {@link Errno#ENOTBLK} if it is neither a file nor a block device, {@link Errno#EBUSY} if
   *     another process or device has it locked
   */
  public static FileDevice open(Path path, boolean writable) throws IOException {
    return open(path, new OpenFile.Use(writable, true, null), writable);
  }

  /**
   * Opens a file and locks it for a holder, who may open it again: read-only devices go on when a
   * writable one joins them. Everything else is as for {@link #open(Path, boolean)}.
   *
   * @param holder compared by identity
   */
  public static FileDevice open(Path path, boolean writable, Object holder) throws IOException {
    return open(path, new OpenFile.Use(writable, true, holder), writable);
  }

  /**
   * Opens a file without asking for or taking a lock; others may change it at any time. Everything
   * else is as for {@link #open(Path, boolean)}.
   */
  public static FileDevice openUnlocked(Path path, boolean writable) throws IOException {
    return open(path, new OpenFile.Use(writable, false, null), writable);
  }

  /**
   * Makes a new sparse file and opens it, writable and locked.
   *
   * @param size in bytes, not negative
   * @throws DeviceException {@link Errno#EEXIST} if there is something by that name, {@link
   *     Errno#ENOSPC}, {@link Errno#EFBIG} if the file system has no files of that size
   */
  public static FileDevice create(Path path, long size) throws IOException {
    try {
      Files.createFile(path);
    } catch (IOException e) {
      throw OpenFile.failure(path, "cannot be created", e);
    }
    OpenFile.Use use = new OpenFile.Use(true, true, null);
    try {
      OpenFile file = OpenFile.open(path, use);
      try {
        file.extend(size);
        return new FileDevice(path, file, use, true);
      } catch (IOException | RuntimeException | Error e) {
        file.leave(use);
        throw e;
      }
    } catch (IOException | RuntimeException | Error e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  private static FileDevice open(Path path, OpenFile.Use use, boolean writable) throws IOException {
    OpenFile file = OpenFile.open(path, use);
    try {
      return new FileDevice(path, file, use, writable);
    } catch (IOException | RuntimeException | Error e) {
      file.leave(use);
      throw e;
    }
  }

  /** The path it was opened by. */
  public Path path() {
    return path;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public String describe() {
    return OpenFile.describe(path);
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    file.read(offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    file.write(offset, src);
  }

  @Override
  protected void doFlush() throws IOException {
    if (capabilities.contains(Capability.WRITE)) {
      file.force();
    }
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    file.punch(offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    if (capabilities.contains(Capability.FAST_ZERO)) {
      file.punch(offset, length);
    } else {
      super.doWriteZeroes(offset, length);
    }
  }

  @Override
  protected Extent doExtent(long offset, long length) throws IOException {
    return file.extent(offset, length);
  }

  @Override
  protected void doClose() throws IOException {
    file.leave(use);
  }
}
