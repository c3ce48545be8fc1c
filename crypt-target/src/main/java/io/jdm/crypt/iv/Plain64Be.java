package io.jdm.crypt.iv;

/**
 * {@code plain64be}: zeros, then the sector as 64 bits big endian in the last 8 bytes. {@code
 * benbi} is the same of another number.
 */
final class Plain64Be implements IvMode {
  static final IvType TYPE =
      new IvType("plain64be") {
        @Override
        public boolean countsOnly() {
          return true;
        }

        @Override
        public IvMode create(IvKeys keys) {
          return new Plain64Be(keys.geometry().ivSize(), 0, 0);
        }
      };

  private final int ivSize;
  private final int shift;
  private final int addend;

  /** The last 8 bytes hold {@code (sector << shift) + addend}. */
  Plain64Be(int ivSize, int shift, int addend) {
    this.ivSize = ivSize;
    this.shift = shift;
    this.addend = addend;
  }

  @Override
  public void fill(long sector, long step, int count, byte[] ivs) {
    long value = sector;
    int end = count * ivSize;
    for (int i = 0; i < end; i += ivSize) {
      int last = i + ivSize - Long.BYTES;
      for (int j = i; j < last; j += Long.BYTES) {
        Words.putLe(ivs, j, 0);
      }
      Words.putBe(ivs, last, (value << shift) + addend);
      value += step;
    }
  }
}
