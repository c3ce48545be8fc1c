package io.jdm.crypt.linux;

import jnr.ffi.annotations.In;

/**
 * The functions of the C library that java.nio has nothing for. Public only because jnr-ffi
 * implements it at run time.
 */
public interface LibC {
  /** open(2) without {@code O_CREAT}, which is why the variadic argument is not here. */
  int open(@In byte[] path, int flags);

  /** fallocate(2); {@code off_t} is 64 bits wide where this is used. */
  int fallocate(int fd, int mode, long offset, long length);

  /** lseek(2); {@code off_t} is 64 bits wide where this is used. */
  long lseek(int fd, long offset, int whence);

  /** close(2). */
  int close(int fd);
}
