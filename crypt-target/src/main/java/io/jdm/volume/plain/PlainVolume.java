package io.jdm.volume.plain;

import io.jdm.blockdev.Sectors;
import io.jdm.crypt.kdf.Digests;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.Arguments;
import io.jdm.volume.Segment;
import io.jdm.volume.UnlockedVolume;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;

/**
 * A volume without a header, as {@code cryptsetup open --type plain} opens it: everything must be
 * told, and a wrong passphrase gives noise (source: spec/plain-and-others.md section 1).
 *
 * @param cipher as in a crypt table
 * @param keySize bytes
 * @param offset where the data begins, in 512-byte sectors
 * @param skip the IV offset, in 512-byte sectors
 * @param size bytes; {@link Segment#REST} for all that the device has
 * @param sectorSize bytes of an encryption sector
 * @param ivLargeSectors whether IVs count encryption sectors
 */
public record PlainVolume(
    String cipher,
    int keySize,
    long offset,
    long skip,
    long size,
    int sectorSize,
    boolean ivLargeSectors) {
  private static final String FORMAT = "PLAIN";

  /** The hash that is none. */
  private static final String NONE = "plain";

  /** Bytes of the longest key that any cipher here takes. */
  private static final int MAX_KEY_SIZE = 4096;

  /**
   * What cryptsetup took for granted.
   *
   * @param cipher as in a crypt table
   * @param keySize bytes
   * @param hash of passphrases
   */
  public record Defaults(String cipher, int keySize, String hash) {
    /**
     * The defaults of a version of cryptsetup.
     *
     * @param version {@code 2.7.0}; numbers that are left out are zeros
     * @throws VolumeException {@code UNSUPPORTED} if it is no version
     */
    public static Defaults of(String version) throws VolumeException {
      if (!version.matches("[0-9]{1,4}(\\.[0-9]{1,4}){0,3}")) {
        throw VolumeException.of(
            Reason.UNSUPPORTED,
            FORMAT,
            Arguments.show(version) + " is no version of cryptsetup, expected one like 2.6.1");
      }
      int[] numbers = Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
      if (Arrays.compare(numbers, new int[] {2, 7}) >= 0) {
        return new Defaults("aes-xts-plain64", 32, "sha256");
      }
      boolean essiv = Arrays.compare(numbers, new int[] {1, 1}) >= 0;
      return new Defaults(essiv ? "aes-cbc-essiv:sha256" : "aes-cbc-plain", 32, "ripemd160");
    }
  }

  /**
   * The key that a passphrase makes, which the caller closes.
   *
   * @param hash {@code NAME} or {@code NAME:LENGTH}; {@code plain} for the passphrase itself, cut
   *     or filled with zeros
   * @throws VolumeException {@code UNSUPPORTED} for a hash that is not here or a length that cannot
   *     be; {@code WRONG_KEY} if the passphrase is shorter than {@code plain:LENGTH} says
   */
  public KeyMaterial hash(KeyMaterial passphrase, String hash) throws VolumeException {
    int colon = hash.indexOf(':');
    String name = colon < 0 ? hash : hash.substring(0, colon);
    long length = colon < 0 ? keySize : Arguments.parseUnsigned(hash.substring(colon + 1));
    if (length < 0 || length > keySize || keySize > MAX_KEY_SIZE) {
      throw VolumeException.of(
          Reason.UNSUPPORTED,
          FORMAT,
          "hash is " + Arguments.show(hash) + ", expected a length up to the key's " + keySize);
    }
    byte[] secret = passphrase.exposeBytes();
    byte[] key = new byte[keySize];
    try {
      if (name.equals(NONE)) {
        if (colon >= 0 && secret.length < length) {
          throw VolumeException.of(Reason.WRONG_KEY, FORMAT, "Too short plain passphrase.");
        }
        System.arraycopy(secret, 0, key, 0, Math.min(secret.length, (int) length));
      } else if (Digests.known(name)) {
        fill(key, (int) length, Digests.create(name), secret);
      } else {
        throw VolumeException.of(
            Reason.UNSUPPORTED, FORMAT, "there is no hash " + Arguments.show(name) + " here");
      }
      return KeyMaterial.copyOf(key);
    } finally {
      Arrays.fill(secret, (byte) 0);
      Arrays.fill(key, (byte) 0);
    }
  }

  /** Hashes of the passphrase behind no, one, two ... letters A, one after the other. */
  private static void fill(byte[] key, int length, MessageDigest digest, byte[] secret) {
    for (int round = 0, done = 0; done < length; round++) {
      for (int i = 0; i < round; i++) {
        digest.update((byte) 'A');
      }
      byte[] hashed = digest.digest(secret);
      int part = Math.min(hashed.length, length - done);
      System.arraycopy(hashed, 0, key, done, part);
      Arrays.fill(hashed, (byte) 0);
      done += part;
    }
  }

  /**
   * The volume with a key.
   *
   * @param key of {@link #keySize} bytes, from {@link #hash} or a key file; belongs to the volume
   *     from now on
   */
  public UnlockedVolume unlock(KeyMaterial key) {
    if (key.size() != keySize) {
      throw new IllegalArgumentException(key + " for a key of " + keySize + " bytes");
    }
    return new UnlockedVolume(
        FORMAT,
        "",
        -1,
        List.of(
            new Segment(
                cipher, key, skip, Sectors.toBytes(offset), size, sectorSize, ivLargeSectors)),
        List.of());
  }
}
