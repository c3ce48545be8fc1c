package io.jdm.volume.luks1;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Sectors;
import io.jdm.crypt.SectorCrypt;
import io.jdm.crypt.kdf.AfSplitter;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.kdf.Pbkdf2;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.ByteString;
import io.jdm.volume.HeaderWriter;
import io.jdm.volume.KeySource;
import io.jdm.volume.UnlockOptions;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.VolumeKey;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Changes a LUKS1 header (source: spec/luks1.md section 6). There is one copy of it, in two
 * sectors: where a change touches both, which only key slot 6 does, the order in which they reach
 * the disk keeps the slot unused until it is complete. A power cut at any point leaves a header
 * that opens with the old or the new keys, if the disk writes sectors whole.
 *
 * <p>The caller holds the lock on the device. Not thread-safe.
 */
public final class Luks1Editor {
  private final HeaderWriter writer;
  private final SecureRandom random = new SecureRandom();
  private Luks1Header header;

  private Luks1Editor(HeaderWriter writer, Luks1Header header) {
    this.writer = writer;
    this.header = header;
  }

  /**
   * Begins to change a header.
   *
   * @param device writable; stays the caller's
   */
  public static Luks1Editor open(BlockDevice device) throws IOException {
    return new Luks1Editor(new HeaderWriter(device), new Luks1Format().read(device).header());
  }

  /** The header as it is now. */
  public Luks1Volume volume() {
    return new Luks1Volume(writer.device(), header);
  }

  /**
   * Writes a new header over whatever there is.
   *
   * @param device writable, from its start to the data; stays the caller's
   * @param volumeKey stays the caller's
   * @return an editor for the new header, which has no active key slot yet
   * @throws VolumeException {@code NO_SPACE} if the device is too small; {@code UNSUPPORTED} for a
   *     cipher or a hash that is not here
   */
  public static Luks1Editor format(
      BlockDevice device, Luks1Spec spec, KeyMaterial volumeKey, KdfMonitor monitor)
      throws IOException {
    int keySize = volumeKey.size();
    spec.check(device.size(), keySize);
    SecureRandom random = new SecureRandom();
    byte[] salt = new byte[Luks1Header.SALT_SIZE];
    random.nextBytes(salt);
    List<Luks1Keyslot> keyslots = new ArrayList<>();
    for (int i = 0; i < Luks1Header.KEYSLOTS; i++) {
      keyslots.add(unused(Luks1Spec.materialOffset(i, keySize)));
    }
    try (KeyMaterial digest =
        Pbkdf2.derive(
            spec.hash(),
            volumeKey,
            salt,
            Luks1Header.DIGEST_ITERATIONS,
            Luks1Header.DIGEST_SIZE,
            monitor)) {
      Luks1Header header =
          new Luks1Header(
              spec.cipherName(),
              spec.cipherMode(),
              spec.hash(),
              spec.payloadOffset(keySize),
              keySize,
              ByteString.of(digest.exposeBytes()),
              ByteString.of(salt),
              Luks1Header.DIGEST_ITERATIONS,
              spec.uuid(),
              List.copyOf(keyslots));
      HeaderWriter writer = new HeaderWriter(device);
      long wipe = Math.max(header.materialEnd(), Sectors.toBytes(header.payloadOffset()));
      writer.writeZeroes(0, Math.min(wipe, device.size()));
      writer.flush();
      writer.write(0, header.encode());
      writer.flush();
      return new Luks1Editor(writer, header);
    }
  }

  private static Luks1Keyslot unused(long materialOffset) {
    return new Luks1Keyslot(
        false,
        0,
        ByteString.of(new byte[Luks1Header.SALT_SIZE]),
        materialOffset,
        Luks1Header.STRIPES);
  }

  /**
   * Locks up the volume key with one more passphrase.
   *
   * @param volumeKey which the digest must prove; stays the caller's
   * @param passphrase stays the caller's
   * @param iterations of PBKDF2
   * @param keyslot an unused one, or -1 for the first
   * @return the key slot's number
   * @throws VolumeException {@code WRONG_KEY} if it is not the volume key; {@code NO_SPACE} if all
   *     slots are in use; {@code REFUSED} if that one is
   */
  public int addKey(
      KeyMaterial volumeKey,
      KeyMaterial passphrase,
      int iterations,
      int keyslot,
      KdfMonitor monitor)
      throws IOException {
    try (KeySource source = KeySource.volumeKey(volumeKey.part(0, volumeKey.size()));
        VolumeKey proved = volume().verify(source, UnlockOptions.DEFAULTS.withMonitor(monitor))) {
      int index = freeKeyslot(keyslot);
      byte[] salt = new byte[Luks1Header.SALT_SIZE];
      random.nextBytes(salt);
      long material = header.keyslots().get(index).materialOffset();
      byte[] area = seal(proved.key(), passphrase, salt, iterations, monitor);
      writer.write(Sectors.toBytes(material), area);
      writer.flush();
      enable(
          index,
          new Luks1Keyslot(true, iterations, ByteString.of(salt), material, Luks1Header.STRIPES));
      return index;
    }
  }

  private byte[] seal(
      KeyMaterial key, KeyMaterial passphrase, byte[] salt, int iterations, KdfMonitor monitor)
      throws IOException {
    byte[] area = new byte[(int) Sectors.toBytes(header.materialSectors())];
    boolean sealed = false;
    try (KeyMaterial areaKey =
        Pbkdf2.derive(header.hash(), passphrase, salt, iterations, header.keySize(), monitor)) {
      byte[] split = AfSplitter.split(header.hash(), key, Luks1Header.STRIPES, random);
      System.arraycopy(split, 0, area, 0, split.length);
      Arrays.fill(split, (byte) 0);
      SectorCrypt.encrypt(header.cipher(), areaKey, area);
      sealed = true;
    } finally {
      if (!sealed) {
        Arrays.fill(area, (byte) 0);
      }
    }
    return area;
  }

  /**
   * Replaces the passphrase of a key slot by one in another slot, since the format has no way to do
   * it safely in the same one.
   *
   * @param keyslot which is destroyed afterwards
   * @param volumeKey stays the caller's
   * @return the new slot's number
   * @throws VolumeException as {@link #addKey}
   */
  public int changeKey(
      int keyslot,
      KeyMaterial volumeKey,
      KeyMaterial passphrase,
      int iterations,
      KdfMonitor monitor)
      throws IOException {
    requireActive(keyslot);
    int index = addKey(volumeKey, passphrase, iterations, -1, monitor);
    killKeyslot(keyslot);
    return index;
  }

  /**
   * Destroys a key slot: first what is in it, then that it was there.
   *
   * @throws VolumeException {@code NO_KEYSLOT} if it is not active
   */
  public void killKeyslot(int keyslot) throws IOException {
    requireActive(keyslot);
    long material = header.keyslots().get(keyslot).materialOffset();
    wipe(material);
    writer.flush();
    disable(keyslot, unused(material));
  }

  /** Destroys all key slots: nobody opens the volume any more who has no copy of its header. */
  public void erase() throws IOException {
    for (Luks1Keyslot keyslot : header.keyslots()) {
      wipe(keyslot.materialOffset());
    }
    writer.flush();
    for (int i = 0; i < Luks1Header.KEYSLOTS; i++) {
      disable(i, unused(header.keyslots().get(i).materialOffset()));
    }
  }

  /** Sets the UUID, 39 characters at most. */
  public void setUuid(String uuid) throws IOException {
    header = header.withUuid(uuid);
    writeSector(0);
  }

  private void wipe(long material) throws IOException {
    writer.writeRandom(
        Sectors.toBytes(material), Sectors.toBytes(header.materialSectors()), random);
  }

  private void requireActive(int keyslot) throws VolumeException {
    if (keyslot < 0
        || keyslot >= Luks1Header.KEYSLOTS
        || !header.keyslots().get(keyslot).active()) {
      throw VolumeException.of(
          Reason.NO_KEYSLOT, Luks1Header.FORMAT, "Keyslot " + keyslot + " is not active.");
    }
  }

  private int freeKeyslot(int wanted) throws VolumeException {
    if (wanted >= Luks1Header.KEYSLOTS) {
      throw VolumeException.of(
          Reason.REFUSED,
          Luks1Header.FORMAT,
          "Key slot " + wanted + " is invalid, please select between 0 and 7.");
    }
    if (wanted >= 0) {
      if (header.keyslots().get(wanted).active()) {
        throw VolumeException.of(
            Reason.REFUSED,
            Luks1Header.FORMAT,
            "Key slot " + wanted + " is full, please select another one.");
      }
      return wanted;
    }
    for (int i = 0; i < Luks1Header.KEYSLOTS; i++) {
      if (!header.keyslots().get(i).active()) {
        return i;
      }
    }
    throw VolumeException.of(Reason.NO_SPACE, Luks1Header.FORMAT, "All key slots full.");
  }

  /** The slot's first bytes, which make it active, are the last to reach the disk. */
  private void enable(int index, Luks1Keyslot keyslot) throws IOException {
    header = header.with(index, keyslot);
    writeSector(1);
    writeSector(0);
  }

  /** The slot's first bytes, which make it unused, are the first to reach the disk. */
  private void disable(int index, Luks1Keyslot keyslot) throws IOException {
    header = header.with(index, keyslot);
    writeSector(0);
    writeSector(1);
  }

  private void writeSector(int sector) throws IOException {
    byte[] bytes = header.encode();
    int start = sector * Sectors.SIZE;
    writer.write(
        start, Arrays.copyOfRange(bytes, start, Math.min(bytes.length, start + Sectors.SIZE)));
    writer.flush();
  }
}
