package io.jdm.crypt.iv;

import java.util.Arrays;

/** {@code null}: all zero. */
final class Null implements IvMode {
  static final IvType TYPE =
      new IvType("null") {
        @Override
        public boolean countsOnly() {
          return true;
        }

        @Override
        public IvMode create(IvKeys keys) {
          return new Null(keys.geometry().ivSize());
        }
      };

  private final int ivSize;

  private Null(int ivSize) {
    this.ivSize = ivSize;
  }

  @Override
  public void fill(long sector, long step, int count, byte[] ivs) {
    Arrays.fill(ivs, 0, count * ivSize, (byte) 0);
  }
}
