package io.jdm.crypt.engine.gcrypt;

import jnr.ffi.annotations.IgnoreError;
import jnr.ffi.types.size_t;

/**
 * The functions of libgcrypt that are used, from {@code gcrypt.h}. Pointers are passed as
 * addresses: a {@code size_t} is as wide. None has more than five arguments, since jnr-ffi gets a
 * sixth one wrong (engines.md). Public only because jnr-ffi implements it at run time.
 */
public interface LibGcrypt {
  /** Initialises the library; null if it is older than the version asked for. */
  @IgnoreError
  String gcry_check_version(String required);

  /** Variadic in C; on Linux an integer argument is passed the same way. */
  @IgnoreError
  int gcry_control(int command, int argument);

  @IgnoreError
  int gcry_cipher_open(@size_t long handle, int algorithm, int mode, int flags);

  @IgnoreError
  void gcry_cipher_close(@size_t long handle);

  @IgnoreError
  int gcry_cipher_ctl(
      @size_t long handle, int command, @size_t long buffer, @size_t long bufferSize);

  @IgnoreError
  int gcry_cipher_setkey(@size_t long handle, @size_t long key, @size_t long size);

  @IgnoreError
  int gcry_cipher_setiv(@size_t long handle, @size_t long iv, @size_t long size);

  @IgnoreError
  int gcry_cipher_encrypt(
      @size_t long handle,
      @size_t long out,
      @size_t long outSize,
      @size_t long in,
      @size_t long inSize);

  @IgnoreError
  int gcry_cipher_decrypt(
      @size_t long handle,
      @size_t long out,
      @size_t long outSize,
      @size_t long in,
      @size_t long inSize);

  @IgnoreError
  String gcry_strerror(int error);
}
