package io.jdm.blockdev.layer;

/** The operations of a block device that a layer can count or let fail. */
public enum Operation {
  READ("read"),
  WRITE("write"),
  WRITE_FUA("FUA write"),
  FLUSH("flush"),
  DISCARD("discard"),
  WRITE_ZEROES("write-zeroes");

  private final String words;

  Operation(String words) {
    this.words = words;
  }

  /** The operation's name in messages. */
  @Override
  public String toString() {
    return words;
  }
}
