package io.jdm.volume.luks1;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.SectorCrypt;
import io.jdm.crypt.kdf.Digests;
import io.jdm.mapper.TargetException;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;

/**
 * What a new LUKS1 volume shall be (source: spec/luks1.md section 6).
 *
 * @param cipherName {@code aes}
 * @param cipherMode {@code xts-plain64}
 * @param hash of PBKDF2 and of the AF splitter
 * @param uuid of the header
 * @param alignment 512-byte sectors that the data begins at a multiple of
 * @param detached whether the data lies on a device of its own
 */
public record Luks1Spec(
    String cipherName,
    String cipherMode,
    String hash,
    String uuid,
    int alignment,
    boolean detached) {
  /** One MiB, as in cryptsetup. */
  public static final int DEFAULT_ALIGNMENT = 2048;

  private static final int FIRST_MATERIAL = 8;
  private static final int MATERIAL_ALIGNMENT = 8;

  /** Sectors from one slot's key material to the next one's. */
  private static long step(int keySize) {
    long sectors = ((long) keySize * Luks1Header.STRIPES + Sectors.SIZE - 1) / Sectors.SIZE;
    return (sectors + MATERIAL_ALIGNMENT - 1) & -MATERIAL_ALIGNMENT;
  }

  /** Where a slot's key material begins. */
  static long materialOffset(int keyslot, int keySize) {
    return FIRST_MATERIAL + keyslot * step(keySize);
  }

  /** Where the data begins; 0 if it lies elsewhere. */
  long payloadOffset(int keySize) {
    long end = materialOffset(Luks1Header.KEYSLOTS, keySize);
    return detached ? 0 : (end + alignment - 1) / alignment * alignment;
  }

  /** Checks what does not fit together, before anything is overwritten. */
  void check(long deviceSize, int keySize) throws VolumeException {
    if (!Digests.known(hash) || Digests.size(hash) < Luks1Header.DIGEST_SIZE) {
      throw VolumeException.of(
          Reason.UNSUPPORTED,
          Luks1Header.FORMAT,
          "Requested LUKS hash " + hash + " is not supported.");
    }
    if (cipherName.length() > 31 || cipherMode.length() > 31 || alignment < 1) {
      throw VolumeException.of(
          Reason.UNSUPPORTED, Luks1Header.FORMAT, "cipher and mode have 31 letters at most each");
    }
    long end = Sectors.toBytes(materialOffset(Luks1Header.KEYSLOTS, keySize));
    if (deviceSize < end) {
      throw VolumeException.of(
          Reason.NO_SPACE,
          Luks1Header.FORMAT,
          "the device has " + deviceSize + " bytes, but a header takes " + end);
    }
    try {
      SectorCrypt.check(cipherName + "-" + cipherMode, keySize);
    } catch (TargetException e) {
      throw VolumeException.of(Reason.UNSUPPORTED, Luks1Header.FORMAT, e.getMessage(), e);
    }
  }
}
