package io.jdm.volume.luks2;

import io.jdm.volume.VolumeException;

/**
 * A keyslot (source: spec/luks2.md section 5.1).
 *
 * @param type {@code luks2}, {@code reencrypt}, or one that is not known here
 * @param keySize bytes of the key that it holds
 * @param priority 0 to be ignored, 1 normal, 2 preferred
 * @param areaType {@code raw} for a key, for re-encryption how it is protected
 * @param areaOffset bytes from the start of the header's device
 * @param areaSize bytes
 * @param lock how the key is locked up; null for other types than {@code luks2}
 */
public record Keyslot(
    int id,
    String type,
    int keySize,
    int priority,
    String areaType,
    long areaOffset,
    long areaSize,
    Lock lock) {
  /** Not tried unless named. */
  public static final int PRIORITY_IGNORE = 0;

  static final int PRIORITY_NORMAL = 1;
  static final int PRIORITY_PREFER = 2;
  static final String LUKS2 = "luks2";
  static final String REENCRYPT = "reencrypt";
  static final int STRIPES = 4000;

  /** Bytes of the longest key that any cipher here takes. */
  private static final int MAX_KEY_SIZE = 512;

  /**
   * What stands between a passphrase and the key.
   *
   * @param encryption of the area, as in a crypt table
   * @param keySize bytes of the area's key
   */
  public record Lock(String encryption, int keySize, Kdf kdf, int stripes, String afHash) {}

  static Keyslot parse(int id, Fields fields) throws VolumeException {
    String type = fields.text("type");
    int keySize = fields.number("key_size", 1, MAX_KEY_SIZE);
    int priority =
        fields.has("priority")
            ? fields.number("priority", PRIORITY_IGNORE, PRIORITY_PREFER)
            : PRIORITY_NORMAL;
    Fields area = fields.object("area");
    String areaType = area.text("type");
    long offset = area.size("offset");
    long size = area.size("size");
    return new Keyslot(
        id,
        type,
        keySize,
        priority,
        areaType,
        offset,
        size,
        type.equals(LUKS2) ? lock(fields, area, keySize, size) : null);
  }

  private static Lock lock(Fields fields, Fields area, int keySize, long size)
      throws VolumeException {
    if (!area.text("type").equals("raw")) {
      throw area.damaged("type", "raw");
    }
    Fields af = fields.object("af");
    if (!af.text("type").equals("luks1")) {
      throw af.damaged("type", "luks1");
    }
    int stripes = af.number("stripes", STRIPES, STRIPES);
    if (size < (long) keySize * stripes) {
      throw area.damaged("size", "at least " + (long) keySize * stripes);
    }
    return new Lock(
        area.text("encryption"),
        area.number("key_size", 1, MAX_KEY_SIZE),
        Kdf.parse(fields.object("kdf")),
        stripes,
        af.text("hash"));
  }
}
