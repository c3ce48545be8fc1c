package io.jdm.crypt.iv;

/**
 * {@code plain64}: the sector as 64 bits little endian, then zeros. {@code plain} is the same of
 * the low 32 bits.
 */
final class Plain64 implements IvMode {
  static final IvType TYPE =
      new IvType("plain64") {
        @Override
        public boolean countsOnly() {
          return true;
        }

        @Override
        public IvMode create(IvKeys keys) {
          return new Plain64(keys.geometry().ivSize(), -1L);
        }
      };

  private final int ivSize;
  private final long mask;

  Plain64(int ivSize, long mask) {
    this.ivSize = ivSize;
    this.mask = mask;
  }

  @Override
  public void fill(long sector, long step, int count, byte[] ivs) {
    long value = sector;
    int end = count * ivSize;
    for (int i = 0; i < end; i += ivSize) {
      Words.putLe(ivs, i, value & mask);
      for (int j = Long.BYTES; j < ivSize; j += Long.BYTES) {
        Words.putLe(ivs, i + j, 0);
      }
      value += step;
    }
  }
}
