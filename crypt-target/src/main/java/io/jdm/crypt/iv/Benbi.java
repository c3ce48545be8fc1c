package io.jdm.crypt.iv;

/**
 * {@code benbi}: the number of the sector's first cipher block, counted from 1, 64 bits big endian
 * in the last 8 bytes. A sector has 512 bytes here whatever sector_size is; the block is the chain
 * mode's.
 */
final class Benbi {
  private static final int SECTOR_SHIFT = 9;

  static final IvType TYPE =
      new IvType("benbi") {
        @Override
        public boolean countsOnly() {
          return true;
        }

        @Override
        public IvMode create(IvKeys keys) {
          // Every block size here is a power of two from 1 to 16, so that the kernel's checks of
          // that cannot fail.
          int log = Integer.numberOfTrailingZeros(keys.geometry().blockSize());
          return new Plain64Be(keys.geometry().ivSize(), SECTOR_SHIFT - log, 1);
        }
      };

  private Benbi() {}
}
