package io.jdm.nbd;

/** The flags of a command, bits of one word (spec/nbd.md section 2). */
public final class CommandFlag {
  /** On stable storage before the reply. */
  public static final int FUA = 0x01;

  /** Zeros must stay allocated. */
  public static final int NO_HOLE = 0x02;

  /** A read is answered by one content chunk. */
  public static final int DF = 0x04;

  /** Block status of one extent. */
  public static final int REQ_ONE = 0x08;

  /** Zeroing fails at once unless it is faster than writing. */
  public static final int FAST_ZERO = 0x10;

  private CommandFlag() {}
}
