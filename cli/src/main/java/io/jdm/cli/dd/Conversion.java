package io.jdm.cli.dd;

/** The words of {@code conv=}. */
enum Conversion {
  ASCII,
  EBCDIC,
  IBM,
  BLOCK,
  UNBLOCK,
  LCASE,
  UCASE,
  SPARSE,
  SWAB,
  SYNC,
  EXCL,
  NOCREAT,
  NOTRUNC,
  NOERROR,
  FDATASYNC,
  FSYNC
}
