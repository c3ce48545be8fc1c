package io.jdm.cli.dd;

/** The words of {@code iflag=} and {@code oflag=} that jdm has. */
enum Flag {
  APPEND,
  DIRECT,
  DSYNC,
  SYNC,
  NOFOLLOW,
  FULLBLOCK,
  COUNT_BYTES,
  SKIP_BYTES,
  SEEK_BYTES
}
