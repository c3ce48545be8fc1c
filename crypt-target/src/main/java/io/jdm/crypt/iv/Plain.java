package io.jdm.crypt.iv;

/** {@code plain}: the low 32 bits of the sector, little endian, then zeros; wraps at 2 TiB. */
final class Plain {
  static final IvType TYPE =
      new IvType("plain") {
        @Override
        public boolean countsOnly() {
          return true;
        }

        @Override
        public IvMode create(IvKeys keys) {
          return new Plain64(keys.geometry().ivSize(), 0xffffffffL);
        }
      };

  private Plain() {}
}
