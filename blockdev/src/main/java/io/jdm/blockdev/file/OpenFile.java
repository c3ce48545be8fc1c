package io.jdm.blockdev.file;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * The one channel that this process has to a file, shared by all {@link FileDevice}s on it. One
 * only, because on POSIX systems closing any descriptor of a file drops the process's locks on it.
 *
 * <p>A channel that an interrupt closed is opened again, locked again, and the request repeated.
 */
final class OpenFile {
  /** All open files of this process; also the lock for opening and releasing. */
  private static final Map<FileIdentity, OpenFile> OPEN = new HashMap<>();

  /** The JDK copies heap buffers through a cached direct one of the same size: this bounds it. */
  private static final int HEAP_PIECE = 1 << 20;

  private enum Call {
    READ("read"),
    WRITE("write"),
    FORCE("flush"),
    TRUNCATE("truncate"),
    SIZE("size query");

    private final String words;

    Call(String words) {
      this.words = words;
    }
  }

  private final Path path;
  private final FileIdentity identity;
  private final boolean writable;
  private final boolean blockDevice;

  private int users;
  private int lockedUsers;
  private FileLock lock;
  private HolePuncher.Holes holes;

  private volatile FileChannel channel;
  private volatile boolean closed;

  /** Whether the size was set and the file's metadata must reach the medium with the next flush. */
  private volatile boolean resized;

  private OpenFile(Path path, FileIdentity identity, boolean writable, boolean blockDevice)
      throws IOException {
    this.path = path;
    this.identity = identity;
    this.writable = writable;
    this.blockDevice = blockDevice;
    this.channel = openChannel();
  }

  static String describe(Path path) {
    return "file " + path;
  }

  /** Opens a file, or joins those who have it open. */
  static OpenFile open(Path path, boolean writable, boolean locked) throws IOException {
    synchronized (OPEN) {
      try {
        boolean blockDevice = checkKind(path);
        FileIdentity identity = FileIdentity.of(path);
        OpenFile file = OPEN.get(identity);
        if (file == null) {
          file = new OpenFile(path, identity, writable, blockDevice);
          try {
            file.join(locked, writable);
          } catch (IOException | RuntimeException | Error e) {
            file.closeAll();
            throw e;
          }
          OPEN.put(identity, file);
        } else {
          file.join(locked, writable);
        }
        return file;
      } catch (DeviceException e) {
        throw e;
      } catch (IOException e) {
        throw cannotOpen(path, e);
      } catch (UnsupportedOperationException e) {
        throw failure(path, Errno.EOPNOTSUPP, "its file system has no channels", e);
      }
    }
  }

  static DeviceException cannotOpen(Path path, IOException e) {
    return failure(path, FileErrors.errno(e), "cannot be opened: " + reason(e), e);
  }

  private static boolean checkKind(Path path) throws IOException {
    BasicFileAttributes attributes = FileIdentity.attributes(path);
    if (attributes.isDirectory()) {
      throw failure(path, Errno.EISDIR, "is a directory", null);
    }
    if (attributes.isRegularFile()) {
      return false;
    }
    if (!FileIdentity.isBlockDevice(path)) {
      throw failure(path, Errno.ENOTBLK, "is neither a regular file nor a block device", null);
    }
    return true;
  }

  private void join(boolean locked, boolean wantsWritable) throws IOException {
    if (wantsWritable && !writable) {
      throw busy("is open read-only in this process and cannot be opened writable");
    }
    if (locked) {
      if (lockedUsers > 0 && (wantsWritable || !lock.isShared())) {
        throw busy("is in use by this process");
      }
      if (lockedUsers == 0) {
        takeLock(!wantsWritable);
      }
      lockedUsers++;
    }
    users++;
  }

  /** Takes the file's lock; leaves it null where the provider has none. */
  private synchronized void takeLock(boolean shared) throws IOException {
    try {
      lock = channel.tryLock(0, Long.MAX_VALUE, shared);
    } catch (UnsupportedOperationException e) {
      lock = null;
      return;
    } catch (OverlappingFileLockException e) {
      throw failure(path, Errno.EBUSY, "is locked by other code of this process", e);
    }
    if (lock == null) {
      throw busy("is locked by another process");
    }
  }

  /** Ends one device's use; the last one closes the file. */
  void release(boolean locked) throws IOException {
    synchronized (OPEN) {
      users--;
      if (locked && --lockedUsers == 0 && users > 0) {
        synchronized (this) {
          if (lock != null && lock.isValid()) {
            lock.release();
          }
          lock = null;
        }
      }
      if (users == 0) {
        OPEN.remove(identity);
        closeAll();
      }
    }
  }

  private synchronized void closeAll() throws IOException {
    closed = true;
    try {
      channel.close();
    } finally {
      if (holes != null) {
        holes.close();
      }
    }
  }

  private FileChannel openChannel() throws IOException {
    Set<OpenOption> options =
        writable
            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
            : Set.of(StandardOpenOption.READ);
    return FileChannel.open(path, options);
  }

  /** Replaces a channel that an interrupt closed, unless somebody did already. */
  private synchronized void reopen(FileChannel broken) throws IOException {
    if (closed) {
      throw failure(path, Errno.ENODEV, "was closed during a request", null);
    }
    if (channel != broken) {
      return;
    }
    FileChannel opened = openChannel();
    if (!FileIdentity.of(path).equals(identity)) {
      opened.close();
      throw failure(path, Errno.EIO, "is another file now than the one that was opened", null);
    }
    channel = opened;
    if (lock != null) {
      takeLock(lock.isShared());
    }
  }

  /** The size in bytes now. */
  long size() throws IOException {
    long size = call(Call.SIZE, 0, null);
    if (size == 0 && blockDevice) {
      size = SysBlock.of(FileIdentity.deviceNumber(path)).size();
      if (size == 0) {
        throw failure(path, Errno.ENXIO, "is a block device of unknown size", null);
      }
    }
    return size;
  }

  Limits limits() throws IOException {
    return blockDevice
        ? Limits.BYTES.withLogicalBlockSize(
            SysBlock.of(FileIdentity.deviceNumber(path)).logicalBlockSize())
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
        int position = buffer.position();
        buffer.limit(Math.min(limit - position, piece) + position);
        long at = offset + (position - start);
        if (call(call, at, buffer) < 0) {
          throw failure(
              path,
              Errno.EIO,
              "short read: the file ends at "
                  + call(Call.SIZE, 0, null)
                  + ", before the "
                  + (limit - position)
                  + " bytes at "
                  + at,
              null);
        }
      }
    } finally {
      buffer.limit(limit);
    }
  }

  /** Everything written before is on stable storage. */
  void force() throws IOException {
    boolean metadata = resized;
    call(Call.FORCE, metadata ? 1 : 0, null);
    if (metadata) {
      resized = false;
    }
  }

  /** Sets the size of a file that is empty: sparse, since the byte beyond its end is cut off. */
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
          interrupted |= Thread.interrupted();
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
      case FORCE -> {
        channel.force(argument == 1);
        yield 0;
      }
      case TRUNCATE -> {
        channel.truncate(argument);
        yield 0;
      }
    };
  }

  private DeviceException failed(Call call, long argument, ByteBuffer buffer, IOException e) {
    Errno errno = FileErrors.errno(e);
    String what = call.words;
    if (buffer != null) {
      what += " of " + buffer.remaining() + " bytes at " + argument;
      if (call == Call.WRITE && errno == Errno.EIO && isFull(buffer.remaining())) {
        errno = Errno.ENOSPC;
      }
    }
    return failure(path, errno, what + " failed: " + reason(e), e);
  }

  /** Asks the file system, because not every provider says so in words that are known. */
  private boolean isFull(int needed) {
    try {
      return Files.getFileStore(path).getUsableSpace() < needed;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** Whether holes can be punched here. */
  boolean canPunch() throws IOException {
    synchronized (OPEN) {
      if (holes == null && writable && !blockDevice && isDefault()) {
        holes = Punchers.open(path);
        if (holes != null && !FileIdentity.of(path).equals(identity)) {
          throw failure(path, Errno.EIO, "was replaced while it was opened", null);
        }
      }
      return holes != null;
    }
  }

  private boolean isDefault() {
    return path.getFileSystem() == FileSystems.getDefault();
  }

  void punch(long offset, long length) throws IOException {
    try {
      holes.punch(offset, length);
    } catch (IOException e) {
      throw failure(
          path,
          FileErrors.errno(e),
          "hole of " + length + " bytes at " + offset + " failed: " + reason(e),
          e);
    }
  }

  private DeviceException busy(String text) {
    return failure(path, Errno.EBUSY, text, null);
  }

  private static DeviceException failure(Path path, Errno errno, String text, Throwable cause) {
    return new DeviceException(errno, text + ": " + describe(path), cause);
  }

  private static String reason(IOException e) {
    Errno errno = FileErrors.errno(e);
    return errno != Errno.EIO || e.getMessage() == null ? errno.message() : e.getMessage();
  }

  /** The bindings that can punch holes on this machine, found when first needed. */
  private static final class Punchers {
    private static final HolePuncher PUNCHER =
        ServiceLoader.load(HolePuncher.class, HolePuncher.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .filter(HolePuncher::isAvailable)
            .findFirst()
            .orElse(null);

    /** An open file to punch holes in, or null if that is not possible. */
    static HolePuncher.Holes open(Path path) {
      if (PUNCHER == null) {
        return null;
      }
      try {
        return PUNCHER.open(path);
      } catch (IOException e) {
        return null;
      }
    }
  }
}
