package io.jdm.nbd;

import java.util.EnumSet;
import java.util.Set;

/** What an export can do (spec/nbd.md section 1.4). */
public enum TransmissionFlag {
  HAS_FLAGS(0x001),
  READ_ONLY(0x002),
  SEND_FLUSH(0x004),
  SEND_FUA(0x008),
  ROTATIONAL(0x010),
  SEND_TRIM(0x020),
  SEND_WRITE_ZEROES(0x040),
  /** Only when structured replies are negotiated. */
  SEND_DF(0x080),
  /** A flush on any connection covers the writes of all. */
  CAN_MULTI_CONN(0x100),
  SEND_CACHE(0x400),
  SEND_FAST_ZERO(0x800);

  private final int bit;

  TransmissionFlag(int bit) {
    this.bit = bit;
  }

  /** The word that goes over the wire. */
  static short toWord(Set<TransmissionFlag> flags) {
    int word = 0;
    for (TransmissionFlag flag : flags) {
      word |= flag.bit;
    }
    return (short) word;
  }

  /** The flags of a word; bits that nobody knows are left out. */
  static Set<TransmissionFlag> ofWord(int word) {
    Set<TransmissionFlag> flags = EnumSet.noneOf(TransmissionFlag.class);
    for (TransmissionFlag flag : values()) {
      if ((word & flag.bit) != 0) {
        flags.add(flag);
      }
    }
    return flags;
  }
}
