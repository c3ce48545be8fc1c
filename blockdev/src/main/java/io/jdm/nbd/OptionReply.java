package io.jdm.nbd;

import io.jdm.blockdev.Errno;

/** What a server answers to an option (spec/nbd.md section 1.2). */
enum OptionReply {
  ACK(1, null),
  SERVER(2, null),
  INFO(3, null),
  META_CONTEXT(4, null),
  ERR_UNSUP(0x8000_0001, Errno.EOPNOTSUPP),
  ERR_POLICY(0x8000_0002, Errno.EACCES),
  ERR_INVALID(0x8000_0003, Errno.EINVAL),
  ERR_PLATFORM(0x8000_0004, Errno.EOPNOTSUPP),
  ERR_TLS_REQD(0x8000_0005, Errno.EACCES),
  ERR_UNKNOWN(0x8000_0006, Errno.ENOENT),
  ERR_SHUTDOWN(0x8000_0007, Errno.ESHUTDOWN),
  ERR_BLOCK_SIZE_REQD(0x8000_0008, Errno.EINVAL),
  ERR_TOO_BIG(0x8000_0009, Errno.EINVAL);

  /** Bytes of the header of every reply. */
  static final int HEADER = 20;

  static final long MAGIC = 0x0003_e889_0455_65a9L;

  final int number;

  /** What the refusal means to the user of a device; null if it is none. */
  final Errno errno;

  OptionReply(int number, Errno errno) {
    this.number = number;
    this.errno = errno;
  }

  /** The reply of this number, or null. */
  static OptionReply of(int number) {
    for (OptionReply reply : values()) {
      if (reply.number == number) {
        return reply;
      }
    }
    return null;
  }

  /** Whether a number, known or not, refuses the option. */
  static boolean isError(int number) {
    return number < 0;
  }
}
