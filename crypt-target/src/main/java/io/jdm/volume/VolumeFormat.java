package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import java.io.IOException;
import java.util.List;

/** A kind of volume header. Found through {@link java.util.ServiceLoader}. Stateless. */
public interface VolumeFormat {
  /** As cryptsetup's {@code --type} has it: {@code luks1}. */
  String name();

  /** Where headers of this format begin on a device, good ones and bad ones. Never writes. */
  List<Signature> probe(BlockDevice device) throws IOException;

  /**
   * Reads and checks a header. Never writes.
   *
   * @param device which the volume reads its keyslots from; stays the caller's
   * @throws VolumeException {@code NOT_FOUND} if there is none of this format, {@code DAMAGED} or
   *     {@code UNSUPPORTED} if it is not good
   */
  Volume read(BlockDevice device) throws IOException;
}
