package io.jdm.crypt.linux;

import io.jdm.blockdev.Errno;
import io.jdm.blockdev.file.HolePuncher;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Platform;
import jnr.ffi.Runtime;

/**
 * Finds holes with lseek(2) and punches them with fallocate(2) through jnr-ffi, on 64-bit Linux.
 * The file system decides whether it has holes; that is tried out behind the end of the file, where
 * nothing can be lost.
 */
public final class LinuxHolePuncher implements HolePuncher {
  private static final int O_RDONLY = 0;
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 02000000;
  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int FALLOC_FL_PUNCH_HOLE = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int EINTR = 4;
  private static final int ENXIO = 6;
  private static final int EINVAL = 22;

  /** What the kernel knows a path by: the charset in which the JDK passes names to it. */
  private static final Charset NAMES =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  /** Made by the service loader. */
  public LinuxHolePuncher() {}

  /** The C library, loaded when first needed. */
  private static final class Library {
    private static final LibC C = LibraryLoader.create(LibC.class).failImmediately().load("c");
    private static final Runtime RUNTIME = Runtime.getRuntime(C);
  }

  @Override
  public boolean isAvailable() {
    try {
      Platform platform = Platform.getNativePlatform();
      return platform.getOS() == Platform.OS.LINUX && platform.is64Bit() && Library.RUNTIME != null;
    } catch (LinkageError e) {
      return false;
    }
  }

  @Override
  public Holes openFile(Path path, boolean writable) throws IOException {
    byte[] name = path.toString().getBytes(NAMES);
    int mode = writable ? O_RDWR : O_RDONLY;
    int fd = Library.C.open(Arrays.copyOf(name, name.length + 1), mode | O_CLOEXEC);
    if (fd < 0) {
      throw failure("open", Library.RUNTIME.getLastError());
    }
    return new LinuxHoles(fd, writable, Files.size(path));
  }

  private static IOException failure(String call, int number) {
    for (Errno errno : Errno.values()) {
      if (errno.number() == number) {
        return new IOException(call + ": " + errno.message());
      }
    }
    return new IOException(call + ": error " + number);
  }

  private static final class LinuxHoles implements Holes {
    private final int fd;
    private final boolean supported;

    LinuxHoles(int fd, boolean writable, long size) {
      this.fd = fd;
      this.supported = writable && tryPunch(size, 1) == 0;
    }

    @Override
    public boolean isSupported() {
      return supported;
    }

    @Override
    public void punch(long offset, long length) throws IOException {
      int error = tryPunch(offset, length);
      if (error != 0) {
        throw failure("fallocate", error);
      }
    }

    /** Punches a hole; the error number, or 0. */
    private int tryPunch(long offset, long length) {
      while (true) {
        int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
        if (Library.C.fallocate(fd, mode, offset, length) == 0) {
          return 0;
        }
        int error = Library.RUNTIME.getLastError();
        if (error != EINTR) {
          return error;
        }
      }
    }

    @Override
    public long nextData(long offset) throws IOException {
      return seek(offset, SEEK_DATA, Long.MAX_VALUE);
    }

    @Override
    public long nextHole(long offset) throws IOException {
      return seek(offset, SEEK_HOLE, offset);
    }

    /**
     * Moves the descriptor's position, which nobody uses.
     *
     * @param otherwise the answer if the file ends before there is one
     */
    private long seek(long offset, int whence, long otherwise) throws IOException {
      long found = Library.C.lseek(fd, offset, whence);
      if (found >= 0) {
        return found;
      }
      int error = Library.RUNTIME.getLastError();
      if (error == ENXIO) {
        return otherwise;
      }
      if (error == EINVAL) {
        return offset;
      }
      throw failure("lseek", error);
    }

    @Override
    public void close() throws IOException {
      if (Library.C.close(fd) != 0) {
        throw failure("close", Library.RUNTIME.getLastError());
      }
    }
  }
}
