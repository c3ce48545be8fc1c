package io.jdm.crypt.iv;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.TargetException;

/** {@code random}: a random IV per write, which only metadata below could keep: refused. */
final class RandomIv {
  static final IvType TYPE =
      new IvType("random") {
        @Override
        public IvMode create(IvKeys keys) throws TargetException {
          throw new TargetException(
              Errno.EINVAL,
              "Integrity profile not supported.",
              "random IVs are kept in per-sector metadata, which the device below does not have");
        }
      };

  private RandomIv() {}
}
