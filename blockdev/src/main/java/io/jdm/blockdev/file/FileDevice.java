package io.jdm.blockdev.file;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
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
 * with other readers. Within this process the same rules hold, without a second channel: two
 * read-only devices share one. On POSIX systems the lock is lost when any other code of this
 * process opens the file and closes it again; that is fcntl(2)'s rule and not ours to change.
 *
 * <p><b>Interrupts.</b> java.nio closes a channel when a thread in it is interrupted. Here the
 * interrupt is kept from the channel where possible; else the file is opened again, if it still is
 * the same, and the request repeated. The caller's interrupt status is kept.
 *
 * <p><b>Holes.</b> Discard and write-zeroes punch holes where a {@link HolePuncher} is present and
 * the file system can. Otherwise there is no {@link Capability#DISCARD}, and zeros are written.
 */
public final class FileDevice extends BlockDevice {
  private static final Set<Capability> READ_ONLY = Set.of();
  private static final Set<Capability> WRITE =
      Collections.unmodifiableSet(EnumSet.of(Capability.WRITE));
  private static final Set<Capability> WRITE_AND_PUNCH =
      Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

  private final Path path;
  private final boolean writable;
  private final boolean locked;
  private final OpenFile file;
  private final long size;
  private final Limits limits;
  private final Set<Capability> capabilities;

  private FileDevice(Path path, boolean writable, boolean locked, OpenFile file)
      throws IOException {
    this.path = path;
    this.writable = writable;
    this.locked = locked;
    this.file = file;
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
    return open(path, writable, true);
  }

  /**
   * Opens a file without asking for or taking a lock; others may change it at any time. Everything
   * else is as for {@link #open(Path, boolean)}.
   *
   * @throws DeviceException also {@link Errno#EBUSY} if it is asked for writable while this process
   *     has it open read-only
   */
  public static FileDevice openUnlocked(Path path, boolean writable) throws IOException {
    return open(path, writable, false);
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
      throw OpenFile.cannotOpen(path, e);
    }
    OpenFile file = null;
    try {
      file = OpenFile.open(path, true, true);
      file.extend(size);
      return new FileDevice(path, true, true, file);
    } catch (IOException | RuntimeException | Error e) {
      if (file != null) {
        file.release(true);
      }
      Files.deleteIfExists(path);
      throw e;
    }
  }

  private static FileDevice open(Path path, boolean writable, boolean locked) throws IOException {
    OpenFile file = OpenFile.open(path, writable, locked);
    try {
      return new FileDevice(path, writable, locked, file);
    } catch (IOException | RuntimeException | Error e) {
      file.release(locked);
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
    if (writable) {
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
  protected void doClose() throws IOException {
    file.release(locked);
  }
}
