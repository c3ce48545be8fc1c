package io.jdm.volume.luks2;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Sectors;
import io.jdm.crypt.SectorCrypt;
import io.jdm.crypt.kdf.AfSplitter;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.TargetException;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;

/** The area of a keyslot on the device (source: spec/luks2.md section 8). */
final class KeyslotArea {
  static final String NULL_CIPHER = "cipher_null";

  private KeyslotArea() {}

  /** Bytes of an area that are encrypted. */
  private static int encryptedSize(Keyslot keyslot) {
    int size = keyslot.keySize() * keyslot.lock().stripes();
    return (size + Sectors.SIZE - 1) & -Sectors.SIZE;
  }

  /**
   * What a passphrase makes of an area: the key if it is the right one, else noise. The caller
   * closes it.
   *
   * @throws VolumeException {@code UNSUPPORTED} for a cipher or hash that is not here, {@code
   *     DAMAGED} where the device ends before the area, {@code REFUSED} for a null cipher
   */
  static KeyMaterial open(
      BlockDevice device, Keyslot keyslot, KeyMaterial passphrase, KdfMonitor monitor)
      throws IOException {
    Keyslot.Lock lock = keyslot.lock();
    check(keyslot);
    int size = encryptedSize(keyslot);
    byte[] area = HeaderBytes.read(device, keyslot.areaOffset(), size);
    if (area.length < size) {
      throw VolumeException.of(
          Reason.DAMAGED,
          Luks2Volume.FORMAT,
          keyslot.areaOffset(),
          "keyslots." + keyslot.id() + ".area",
          "the area of keyslot "
              + keyslot.id()
              + " ends at byte "
              + (keyslot.areaOffset() + size)
              + ", but the device at "
              + device.size());
    }
    try (KeyMaterial areaKey = lock.kdf().derive(passphrase, lock.keySize(), monitor)) {
      SectorCrypt.decrypt(lock.encryption(), areaKey, area);
      return AfSplitter.merge(lock.afHash(), area, keyslot.keySize(), lock.stripes());
    } finally {
      Arrays.fill(area, (byte) 0);
    }
  }

  /**
   * The bytes that lock up a key with a passphrase; the whole area, random behind what is
   * encrypted.
   */
  static byte[] seal(
      Keyslot keyslot,
      KeyMaterial key,
      KeyMaterial passphrase,
      SecureRandom random,
      KdfMonitor monitor)
      throws IOException {
    Keyslot.Lock lock = keyslot.lock();
    check(keyslot);
    byte[] encrypted = new byte[encryptedSize(keyslot)];
    boolean sealed = false;
    try (KeyMaterial areaKey = lock.kdf().derive(passphrase, lock.keySize(), monitor)) {
      byte[] split = AfSplitter.split(lock.afHash(), key, lock.stripes(), random);
      System.arraycopy(split, 0, encrypted, 0, split.length);
      Arrays.fill(split, (byte) 0);
      SectorCrypt.encrypt(lock.encryption(), areaKey, encrypted);
      sealed = true;
    } finally {
      if (!sealed) {
        Arrays.fill(encrypted, (byte) 0);
      }
    }
    byte[] area = new byte[(int) keyslot.areaSize()];
    random.nextBytes(area);
    System.arraycopy(encrypted, 0, area, 0, encrypted.length);
    return area;
  }

  /** All that can be wrong is found before anything is derived. */
  private static void check(Keyslot keyslot) throws VolumeException {
    Keyslot.Lock lock = keyslot.lock();
    String field = "keyslots." + keyslot.id() + ".area.encryption";
    if (lock.encryption().contains(NULL_CIPHER)) {
      throw VolumeException.of(
          Reason.REFUSED,
          Luks2Volume.FORMAT,
          keyslot.areaOffset(),
          field,
          "keyslot "
              + keyslot.id()
              + " has the cipher cipher_null, which protects nothing; it is never used");
    }
    Kdf.requireHash(lock.afHash());
    if (lock.kdf().hash() != null) {
      Kdf.requireHash(lock.kdf().hash());
    }
    try {
      SectorCrypt.check(lock.encryption(), lock.keySize());
    } catch (TargetException e) {
      throw VolumeException.of(
          Reason.UNSUPPORTED,
          Luks2Volume.FORMAT,
          "keyslot " + keyslot.id() + ": " + e.getMessage(),
          e);
    }
  }
}
