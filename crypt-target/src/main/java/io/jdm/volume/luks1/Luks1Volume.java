package io.jdm.volume.luks1;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Sectors;
import io.jdm.crypt.SectorCrypt;
import io.jdm.crypt.kdf.AfSplitter;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.kdf.Pbkdf2;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.ByteString;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.KeySource;
import io.jdm.volume.Segment;
import io.jdm.volume.UnlockOptions;
import io.jdm.volume.UnlockedVolume;
import io.jdm.volume.Volume;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.VolumeKey;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;

/** A LUKS1 volume (source: spec/luks1.md). */
public final class Luks1Volume implements Volume {
  private static final String NULL_CIPHER = "cipher_null";

  private final BlockDevice device;
  private final Luks1Header header;

  Luks1Volume(BlockDevice device, Luks1Header header) {
    this.device = device;
    this.header = header;
  }

  Luks1Header header() {
    return header;
  }

  @Override
  public String format() {
    return Luks1Header.FORMAT;
  }

  @Override
  public String uuid() {
    return header.uuid();
  }

  /** {@code aes}. */
  public String cipherName() {
    return header.cipherName();
  }

  /** {@code xts-plain64}. */
  public String cipherMode() {
    return header.cipherMode();
  }

  /** Of PBKDF2 and of the AF splitter. */
  public String hash() {
    return header.hash();
  }

  /** Where the data begins, in 512-byte sectors; 0 if it lies on a device of its own. */
  public long payloadOffset() {
    return header.payloadOffset();
  }

  /** Bytes of the volume key. */
  public int keySize() {
    return header.keySize();
  }

  /** The volume key's digest, 20 bytes. */
  public ByteString digest() {
    return header.digest();
  }

  /** The digest's salt, 32 bytes. */
  public ByteString digestSalt() {
    return header.digestSalt();
  }

  /** PBKDF2 iterations of the digest. */
  public long digestIterations() {
    return header.digestIterations();
  }

  /** Where the last key slot's material ends, in bytes. */
  public long keyslotsEnd() {
    return header.materialEnd();
  }

  /** The eight key slots. */
  public List<Luks1Keyslot> keyslots() {
    return header.keyslots();
  }

  @Override
  public VolumeKey verify(KeySource key, UnlockOptions options) throws IOException {
    checkNullCipher(key, options);
    if (key.isVolumeKey()) {
      KeyMaterial secret = key.secret();
      if (secret.size() != header.keySize() || !isVolumeKey(secret, options.monitor())) {
        throw VolumeException.of(
            Reason.WRONG_KEY, format(), "Volume key does not match the volume.");
      }
      return new VolumeKey(-1, secret.part(0, secret.size()));
    }
    boolean tried = false;
    for (int i = 0; i < Luks1Header.KEYSLOTS; i++) {
      if (header.keyslots().get(i).active()
          && (options.keyslot() == UnlockOptions.ANY || options.keyslot() == i)) {
        tried = true;
        KeyMaterial found = open(i, key.secret(), options.monitor());
        if (found != null) {
          return new VolumeKey(i, found);
        }
      }
    }
    throw tried ? VolumeException.wrongKey(format()) : VolumeException.noKeyslot(format());
  }

  /** Whoever can write the header could have made the volume one that encrypts nothing. */
  private void checkNullCipher(KeySource key, UnlockOptions options) throws VolumeException {
    if (!header.cipherName().equals(NULL_CIPHER)) {
      return;
    }
    if (!options.allowNullCipher()) {
      throw VolumeException.of(
          Reason.REFUSED,
          format(),
          8,
          "cipher-name",
          "the volume has the cipher cipher_null, which encrypts nothing; it opens only where null"
              + " ciphers are allowed expressly");
    }
    if (!key.isVolumeKey() && key.secret().size() != 0) {
      throw VolumeException.wrongKey(format());
    }
  }

  /** The volume key of a slot, or null if the passphrase does not open it. */
  private KeyMaterial open(int index, KeyMaterial passphrase, KdfMonitor monitor)
      throws IOException {
    Luks1Keyslot keyslot = header.keyslots().get(index);
    byte[] area = area(index, keyslot);
    KeyMaterial key;
    try (KeyMaterial areaKey =
        Pbkdf2.derive(
            header.hash(),
            passphrase,
            keyslot.salt().toArray(),
            keyslot.iterations(),
            header.keySize(),
            monitor)) {
      SectorCrypt.decrypt(header.cipher(), areaKey, area);
      key = AfSplitter.merge(header.hash(), area, header.keySize(), keyslot.stripes());
    } finally {
      Arrays.fill(area, (byte) 0);
    }
    boolean right = false;
    try {
      right = isVolumeKey(key, monitor);
      return right ? key : null;
    } finally {
      if (!right) {
        key.close();
      }
    }
  }

  private byte[] area(int index, Luks1Keyslot keyslot) throws IOException {
    int size = (int) Sectors.toBytes(header.materialSectors());
    long offset = Sectors.toBytes(keyslot.materialOffset());
    byte[] area = HeaderBytes.read(device, offset, size);
    if (area.length < size) {
      throw VolumeException.of(
          Reason.DAMAGED,
          format(),
          offset,
          "key material of key slot " + index,
          "the key material of key slot "
              + index
              + " ends at byte "
              + (offset + size)
              + ", but the device at "
              + device.size());
    }
    return area;
  }

  private boolean isVolumeKey(KeyMaterial key, KdfMonitor monitor) throws IOException {
    try (KeyMaterial digest =
        Pbkdf2.derive(
            header.hash(),
            key,
            header.digestSalt().toArray(),
            header.digestIterations(),
            Luks1Header.DIGEST_SIZE,
            monitor)) {
      return MessageDigest.isEqual(digest.exposeBytes(), header.digest().toArray());
    }
  }

  @Override
  public UnlockedVolume unlock(KeySource key, UnlockOptions options) throws IOException {
    VolumeKey found = verify(key, options);
    return new UnlockedVolume(
        format(),
        uuid(),
        found.keyslot(),
        List.of(
            Segment.crypt(
                header.cipher(),
                found.key(),
                0,
                Sectors.toBytes(header.payloadOffset()),
                Segment.REST,
                Sectors.SIZE)),
        List.of());
  }
}
