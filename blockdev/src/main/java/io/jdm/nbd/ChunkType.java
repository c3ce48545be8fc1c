package io.jdm.nbd;

/** The kinds of chunks of a structured reply (spec/nbd.md section 2). */
public enum ChunkType {
  NONE(0),
  OFFSET_DATA(1),
  OFFSET_HOLE(2),
  BLOCK_STATUS(5),
  ERROR(0x8001),
  ERROR_OFFSET(0x8002);

  private final int number;

  ChunkType(int number) {
    this.number = number;
  }

  /** The number on the wire. */
  public int number() {
    return number;
  }

  /** The type of this number; an unknown error counts as {@link #ERROR}; null if unknown. */
  public static ChunkType of(int number) {
    for (ChunkType type : values()) {
      if (type.number == number) {
        return type;
      }
    }
    return (number & 0x8000) != 0 ? ERROR : null;
  }
}
