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
 * Punches holes with fallocate(2) through jnr-ffi, on 64-bit Linux. The file system decides whether
 * it has holes; that is tried out behind the end of the file, where nothing can be lost.
 */
public final class LinuxHolePuncher implements HolePuncher {
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 02000000;
  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int FALLOC_FL_PUNCH_HOLE = 2;
  private static final int EINTR = 4;

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
  public Holes openFile(Path path) throws IOException {
    byte[] name = path.toString().getBytes(NAMES);
    int fd = Library.C.open(Arrays.copyOf(name, name.length + 1), O_RDWR | O_CLOEXEC);
    if (fd < 0) {
      throw failure("open", Library.RUNTIME.getLastError());
    }
    return new LinuxHoles(fd, Files.size(path));
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

    LinuxHoles(int fd, long size) {
      this.fd = fd;
      this.supported = tryPunch(size, 1) == 0;
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
    public void close() throws IOException {
      if (Library.C.close(fd) != 0) {
        throw failure("close", Library.RUNTIME.getLastError());
      }
    }
  }
}
