package io.jdm.blockdev.file;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The one channel that this process has to a file, shared by all {@link FileDevice}s on it. One
 * only, because on POSIX systems closing any descriptor of a file drops the process's locks on it.
 *
 * <p>The channel may be replaced: an interrupt closed it, or it was read-only and somebody wants to
 * write. Requests that were in the old one are repeated in the new one.
 */
final class OpenFile {
  private static final System.Logger LOGGER = System.getLogger(OpenFile.class.getName());

  /** All open files of this process; also the lock for opening and closing. */
  private static final Map<FileIdentity, OpenFile> OPEN = new HashMap<>();

  /** The JDK copies heap buffers through a cached direct one of the same size: this bounds it. */
  private static final int HEAP_PIECE = 1 << 20;

  private enum Call {
    READ("read"),
    WRITE("write"),
    FORCE("flush"),
    FORCE_METADATA("flush"),
    TRUNCATE("truncate"),
    SIZE("size query");

    private final String words;

    Call(String words) {
      this.words = words;
    }
  }

  /** One device's use of the file. */
  static final class Use {
    private final boolean writable;
    private final boolean locked;
    private final Object holder;

    /**
     * @param holder for whom the file is opened, or null; uses of one holder never exclude each
     *     other
     */
    Use(boolean writable, boolean locked, Object holder) {
      this.writable = writable;
      this.locked = locked;
      this.holder = holder;
    }

    private boolean excludes(Use other) {
      return locked
          && other.locked
          && (writable || other.writable)
          && (holder == null || holder != other.holder);
    }
  }

  private final Path path;
  private final FileIdentity identity;
  private final boolean blockDevice;

  // Changed with this object's lock held.
  private final List<Use> uses = new ArrayList<>();
  private boolean writable;
  private FileLock lock;
  private HolePuncher.Holes holes;

  /** For those who only read, opened when one first asks for an extent. */
  private HolePuncher.Holes readOnlyHoles;

  private boolean readOnlyHolesTried;
  private volatile FileChannel channel;
  private boolean closed;

  /** Whether the size was set and the file's metadata must reach the medium with the next flush. */
  private volatile boolean resized;

  private OpenFile(Path path, FileIdentity identity, boolean blockDevice, boolean writable)
      throws IOException {
    this.path = path;
    this.identity = identity;
    this.blockDevice = blockDevice;
    this.writable = writable;
    this.channel = openChannel(writable);
  }

  static String describe(Path path) {
    return "file " + path;
  }

  /** Opens a file, or joins those who have it open. */
  static OpenFile open(Path path, Use use) throws IOException {
    synchronized (OPEN) {
      try {
        boolean blockDevice = isBlockDevice(path);
        FileIdentity identity = FileIdentity.of(path);
        OpenFile file = OPEN.get(identity);
        if (file != null) {
          file.join(use);
          return file;
        }
        file = new OpenFile(path, identity, blockDevice, use.writable);
        try {
          file.join(use);
        } catch (IOException | RuntimeException | Error e) {
          file.close();
          throw e;
        }
        OPEN.put(identity, file);
        return file;
      } catch (DeviceException e) {
        throw e;
      } catch (IOException e) {
        throw failure(path, "cannot be opened", e);
      } catch (UnsupportedOperationException e) {
        throw failure(path, Errno.EOPNOTSUPP, "its file system has no file channels", e);
      }
    }
  }

  /** Whether the path names a block device; an error if it names nothing that holds bytes. */
  private static boolean isBlockDevice(Path path) throws IOException {
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      // JDKs differ in what they make of ENOTDIR here.
      if (leadsThroughAFile(path)) {
        throw failure(path, Errno.ENOTDIR, "cannot be opened: " + Errno.ENOTDIR.message(), e);
      }
      throw e;
    }
    if (attributes.isRegularFile()) {
      return false;
    }
    if (attributes.isDirectory()) {
      throw failure(path, Errno.EISDIR, "is a directory", null);
    }
    if (!SysBlock.isBlockDevice(path)) {
      throw failure(path, Errno.ENOTBLK, "is neither a regular file nor a block device", null);
    }
    return true;
  }

  private static boolean leadsThroughAFile(Path path) {
    Path parent = path.toAbsolutePath().getParent();
    while (parent != null && !Files.exists(parent)) {
      parent = parent.getParent();
    }
    return parent != null && !Files.isDirectory(parent);
  }

  private synchronized void join(Use use) throws IOException {
    for (Use other : uses) {
      if (use.excludes(other)) {
        throw failure(Errno.EBUSY, "is in use by this process", null);
      }
    }
    if (use.writable && !writable) {
      replaceChannel(true);
      writable = true;
    }
    boolean exclusive = use.writable;
    if (use.locked && (lock == null || (exclusive && lock.isShared()))) {
      FileLock old = lock;
      unlock();
      try {
        lock = tryLock(channel, !exclusive);
      } catch (IOException e) {
        lock = old == null ? null : tryLock(channel, true);
        throw e;
      }
    }
    if (use.writable && holes == null) {
      holes = openHoles(true);
    }
    uses.add(use);
  }

  private HolePuncher.Holes openHoles(boolean writable) throws IOException {
    if (blockDevice || path.getFileSystem() != FileSystems.getDefault()) {
      return null;
    }
    HolePuncher.Holes opened = HolePuncher.open(path, writable);
    if (opened != null && !FileIdentity.of(path).equals(identity)) {
      opened.close();
      throw replaced();
    }
    return opened;
  }

  /** Ends one device's use; the last one closes the file. */
  void leave(Use use) throws IOException {
    synchronized (OPEN) {
      if (end(use)) {
        OPEN.remove(identity);
        close();
      }
    }
  }

  private synchronized boolean end(Use use) throws IOException {
    uses.remove(use);
    if (uses.stream().noneMatch(other -> other.locked)) {
      unlock();
    }
    return uses.isEmpty();
  }

  private synchronized void close() throws IOException {
    closed = true;
    try {
      channel.close();
    } finally {
      try {
        if (holes != null) {
          holes.close();
        }
      } finally {
        if (readOnlyHoles != null) {
          readOnlyHoles.close();
        }
      }
    }
  }

  private FileChannel openChannel(boolean writable) throws IOException {
    return FileChannel.open(
        path,
        writable
            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
            : Set.of(StandardOpenOption.READ));
  }

  /**
   * Opens the file anew and locks it as before. The old channel is closed first, since closing it
   * later would drop the new one's lock.
   */
  private void replaceChannel(boolean writable) throws IOException {
    FileChannel opened = openChannel(writable);
    try {
      if (!FileIdentity.of(path).equals(identity)) {
        throw replaced();
      }
      channel.close();
      if (lock != null) {
        lock = tryLock(opened, lock.isShared());
      }
    } catch (IOException | RuntimeException | Error e) {
      opened.close();
      throw e;
    }
    channel = opened;
  }

  /** Locks the file; null where the provider has no locks. */
  private FileLock tryLock(FileChannel channel, boolean shared) throws IOException {
    FileLock taken;
    try {
      taken = channel.tryLock(0, Long.MAX_VALUE, shared);
    } catch (UnsupportedOperationException e) {
      return null;
    } catch (OverlappingFileLockException e) {
      throw failure(Errno.EBUSY, "is locked by other code of this process", e);
    }
    if (taken == null) {
      throw failure(Errno.EBUSY, "is locked by another process", null);
    }
    return taken;
  }

  private void unlock() throws IOException {
    if (lock != null && lock.isValid()) {
      lock.release();
    }
    lock = null;
  }

  /** Replaces a channel that was closed by an interrupt, unless somebody did already. */
  private synchronized void reopen(FileChannel broken) throws IOException {
    if (closed) {
      throw failure(Errno.ENODEV, "was closed during a request", null);
    }
    if (channel == broken) {
      replaceChannel(writable);
      LOGGER.log(Level.DEBUG, "opened again after an interrupt: {0}", describe(path));
    }
  }

  /** The size in bytes now. */
  long size() throws IOException {
    long size = call(Call.SIZE, 0, null);
    if (size == 0 && blockDevice) {
      size = SysBlock.of(path).size();
      if (size == 0) {
        throw failure(Errno.ENXIO, "is a block device of unknown size", null);
      }
    }
    return size;
  }

  Limits limits() throws IOException {
    return blockDevice
        ? Limits.BYTES.withLogicalBlockSize(SysBlock.of(path).logicalBlockSize())
        : Limits.BYTES;
  }

  void read(long offset, ByteBuffer dst) throws IOException {
    transfer(Call.READ, offset, dst);
  }

  void write(long offset, ByteBuffer src) throws IOException {
    transfer(Call.WRITE, offset, src);
  }

  private void transfer(Call call, long offset, ByteBuffer buffer) throws IOException {
    int start = buffer.position();
    int limit = buffer.limit();
    int piece = buffer.isDirect() ? limit - start : HEAP_PIECE;
    try {
      while (buffer.position() < limit) {
        int left = limit - buffer.position();
        long at = offset + (buffer.position() - start);
        buffer.limit(buffer.position() + Math.min(left, piece));
        if (call(call, at, buffer) < 0) {
          throw failure(
              Errno.EIO,
              "short read of "
                  + left
                  + " bytes at "
                  + at
                  + ": the file ends at "
                  + call(Call.SIZE, 0, null),
              null);
        }
      }
    } finally {
      buffer.limit(limit);
    }
  }

  /** Returns when everything written before is on stable storage. */
  void force() throws IOException {
    if (resized) {
      call(Call.FORCE_METADATA, 0, null);
      resized = false;
    } else {
      call(Call.FORCE, 0, null);
    }
  }

  /** Sets the size of a file that is empty; sparse, since only the byte beyond is written. */
  void extend(long size) throws IOException {
    resized = true;
    call(Call.WRITE, size, ByteBuffer.allocate(1));
    call(Call.TRUNCATE, size, null);
  }

  /** Does one channel call, again if an interrupt closed the channel. */
  private long call(Call call, long argument, ByteBuffer buffer) throws IOException {
    int position = buffer == null ? 0 : buffer.position();
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        FileChannel current = channel;
        try {
          return attempt(current, call, argument, buffer);
        } catch (ClosedChannelException e) {
          if (buffer != null) {
            buffer.position(position);
          }
          reopen(current);
        }
      }
    } catch (DeviceException e) {
      throw e;
    } catch (IOException e) {
      throw failed(call, argument, buffer, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static long attempt(FileChannel channel, Call call, long argument, ByteBuffer buffer)
      throws IOException {
    return switch (call) {
      case READ -> channel.read(buffer, argument);
      case WRITE -> channel.write(buffer, argument);
      case SIZE -> channel.size();
      case FORCE, FORCE_METADATA -> {
        channel.force(call == Call.FORCE_METADATA);
        yield 0;
      }
      case TRUNCATE -> {
        channel.truncate(argument);
        yield 0;
      }
    };
  }

  private DeviceException failed(Call call, long argument, ByteBuffer buffer, IOException e) {
    if (buffer == null) {
      return failure(path, call.words + " failed", e);
    }
    String what = call.words + " of " + buffer.remaining() + " bytes at " + argument + " failed";
    if (call == Call.WRITE && FileErrors.errno(e) == Errno.EIO && isFull(argument, buffer)) {
      return failure(Errno.ENOSPC, what + ": " + Errno.ENOSPC.message(), e);
    }
    return failure(path, what, e);
  }

  /** Asks the file system, because not every provider says so in words that are known. */
  private boolean isFull(long offset, ByteBuffer src) {
    try {
      long growth = offset + src.remaining() - Files.size(path);
      return Files.getFileStore(path).getUsableSpace() < Math.max(growth, src.remaining());
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** Whether holes can be punched here. */
  synchronized boolean canPunch() {
    return holes != null && holes.isSupported();
  }

  /** Makes a range read as zeros and frees it; only if {@link #canPunch()}. */
  void punch(long offset, long length) throws IOException {
    try {
      holes.punch(offset, length);
    } catch (IOException e) {
      throw failure(path, "hole of " + length + " bytes at " + offset + " failed", e);
    }
  }

  /** Data or a hole from a byte on that is inside the file. */
  Extent extent(long offset, long length) throws IOException {
    HolePuncher.Holes found = holesToRead();
    if (found == null) {
      return Extent.data(length);
    }
    try {
      long data = found.nextData(offset);
      if (data > offset) {
        return new Extent(data - offset, Extent.State.HOLE);
      }
      long hole = found.nextHole(offset);
      return Extent.data(hole > offset ? hole - offset : length);
    } catch (IOException e) {
      throw failure(path, "extent query at " + offset + " failed", e);
    }
  }

  private synchronized HolePuncher.Holes holesToRead() throws IOException {
    if (holes == null && !readOnlyHolesTried) {
      readOnlyHolesTried = true;
      readOnlyHoles = openHoles(false);
    }
    return holes == null ? readOnlyHoles : holes;
  }

  private DeviceException replaced() {
    return failure(Errno.EIO, "is not the file any more that was opened by this name", null);
  }

  private DeviceException failure(Errno errno, String text, Throwable cause) {
    return failure(path, errno, text, cause);
  }

  private static DeviceException failure(Path path, Errno errno, String text, Throwable cause) {
    return new DeviceException(errno, text + ": " + describe(path), cause);
  }

  /** What a failure of the file system means: the text, its reason, and the file. */
  static DeviceException failure(Path path, String text, IOException cause) {
    Errno errno = FileErrors.errno(cause);
    return failure(path, errno, text + ": " + FileErrors.reason(errno, cause), cause);
  }
}
