package io.jdm.nbd;

import java.nio.ByteBuffer;

/**
 * The header of a request (spec/nbd.md section 2), read from a buffer into fields so that decoding
 * allocates nothing. Not thread-safe.
 */
public final class Request {
  /** Bytes of a header. */
  public static final int SIZE = 28;

  private static final int MAGIC = 0x2560_9513;

  private int flags;
  private int type;
  private long cookie;
  private long offset;
  private long length;

  /** Creates an empty request. */
  public Request() {}

  /** Puts a header at an index of a buffer. */
  public static void encode(
      ByteBuffer out, int at, int flags, Command command, long cookie, long offset, int length) {
    out.putInt(at, MAGIC);
    out.putShort(at + 4, (short) flags);
    out.putShort(at + 6, (short) command.number());
    out.putLong(at + 8, cookie);
    out.putLong(at + 16, offset);
    out.putInt(at + 24, length);
  }

  /**
   * Reads the header at an index of a buffer.
   *
   * @throws NbdException if it does not begin with the magic; where the next one begins is then
   *     unknown
   */
  public void decode(ByteBuffer in, int at) throws NbdException {
    int magic = in.getInt(at);
    if (magic != MAGIC) {
      throw new NbdException("request magic is 0x%08x, expected 0x%08x".formatted(magic, MAGIC));
    }
    flags = in.getShort(at + 4) & 0xffff;
    type = in.getShort(at + 6) & 0xffff;
    cookie = in.getLong(at + 8);
    offset = in.getLong(at + 16);
    length = in.getInt(at + 24) & 0xffff_ffffL;
  }

  /** Takes over the fields of another request. */
  public void set(Request other) {
    flags = other.flags;
    type = other.type;
    cookie = other.cookie;
    offset = other.offset;
    length = other.length;
  }

  /** Bits of {@link CommandFlag}, and any others the client sent. */
  public int flags() {
    return flags;
  }

  /** Whether a flag is set. */
  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /** The command, or null if nobody knows it. */
  public Command command() {
    return Command.of(type);
  }

  /** The command's number. */
  public int type() {
    return type;
  }

  /** What the reply repeats. */
  public long cookie() {
    return cookie;
  }

  /** First byte; an unsigned number. */
  public long offset() {
    return offset;
  }

  /** Bytes, 0 to 2^32 - 1. */
  public long length() {
    return length;
  }

  /** For messages. */
  @Override
  public String toString() {
    Command command = command();
    return (command == null ? "command " + type : command.toString())
        + " of "
        + length
        + " bytes at "
        + Long.toUnsignedString(offset)
        + " with flags 0x"
        + Integer.toHexString(flags);
  }
}
