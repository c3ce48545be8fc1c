package io.jdm.crypt;

import io.jdm.blockdev.Errno;
import io.jdm.crypt.CryptOptions.Flag;
import io.jdm.crypt.cipher.CipherSpec;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.iv.Essiv;
import io.jdm.crypt.iv.IvGeometry;
import io.jdm.crypt.iv.IvType;
import io.jdm.crypt.iv.IvTypes;
import io.jdm.crypt.iv.KeyLayout;
import io.jdm.crypt.kdf.Digests;
import io.jdm.crypt.key.KeyText;
import io.jdm.mapper.TargetException;

/**
 * What a crypt table says of its cipher, checked, with the engine that does it; the kernel's {@code
 * crypt_config}. Immutable.
 *
 * @param ivType with essiv already around it
 * @param engineName for other ciphers than the data's, as {@link Engines#selectBlock} takes it
 */
record CryptConfig(
    CipherSpec spec,
    CryptOptions options,
    IvType ivType,
    IvGeometry geometry,
    KeyLayout layout,
    SectorAlgorithm algorithm,
    Engines engines,
    String engineName,
    Engine engine) {
  private static final int MAX_KEYS = 4096;
  private static final String ALLOCATING = "Error allocating crypto tfm";

  /**
   * Checks cipher, IV mode and key size against each other, in the kernel's order and words, and
   * chooses the engine.
   *
   * @param keySize bytes of the whole key
   */
  static CryptConfig of(
      CipherSpec spec, CryptOptions options, int keySize, Engines engines, String engineName)
      throws TargetException {
    checkKeyCount(spec);
    checkHash(spec);
    IvType type = spec.ivMode() == null ? IvTypes.NONE : IvTypes.byName(spec.ivMode());
    if (spec.essivHash() != null) {
      type = encrypted(spec, type);
    }
    IvGeometry geometry =
        new IvGeometry(
            spec.cipher(),
            spec.mode(),
            spec.ivSize(),
            Ciphers.blockSize(spec.cipher(), spec.mode()),
            options.sectorSize(),
            keySize,
            spec.keyCount());
    KeyLayout layout = type.layout(geometry);
    checkKeySize(spec, layout, keySize);
    SectorAlgorithm algorithm =
        new SectorAlgorithm(spec.cipher(), spec.mode(), layout.subKeySize(), options.sectorSize());
    return new CryptConfig(
        spec,
        options,
        type,
        geometry,
        layout,
        algorithm,
        engines,
        engineName,
        select(engines, engineName, algorithm));
  }

  private static IvType encrypted(CipherSpec spec, IvType inner) throws TargetException {
    if (!inner.countsOnly()) {
      throw notFound(spec.cryptoApiName() + " with IV mode " + inner + " is not supported");
    }
    return Essiv.over(inner, spec.essivHash());
  }

  /** Sub-keys without a byte of their own could be as many as a number can say. */
  private static void checkKeyCount(CipherSpec spec) throws TargetException {
    if (spec.keyCount() > MAX_KEYS) {
      throw new TargetException(
          Errno.ENOMEM,
          ALLOCATING,
          "the cipher wants " + spec.keyCount() + " keys, at most " + MAX_KEYS + " are possible");
    }
  }

  private static void checkHash(CipherSpec spec) throws TargetException {
    String hash = spec.essivHash();
    if (hash == null) {
      return;
    }
    if (!Digests.known(hash)) {
      throw notFound("there is no hash '" + hash + "', only " + String.join(", ", Digests.names()));
    }
    int size = Digests.size(hash);
    int min = Ciphers.minKeySize(spec.cipher());
    int max = Ciphers.maxKeySize(spec.cipher());
    if (size < min || size > max) {
      throw notFound(
          "the "
              + size
              + " bytes of "
              + hash
              + " are no key of "
              + spec.cipher()
              + ", which has "
              + min
              + " to "
              + max);
    }
  }

  private static void checkKeySize(CipherSpec spec, KeyLayout layout, int keySize)
      throws TargetException {
    int size = layout.subKeySize();
    if (layout.extraOffset() < 0 || !Ciphers.validKeySize(spec.cipher(), spec.mode(), size)) {
      String split =
          size == keySize
              ? ""
              : ", which is "
                  + spec.keyCount()
                  + " times "
                  + size
                  + " and "
                  + layout.extraSize()
                  + " for the IV";
      throw KeyText.keyError(
          "the key has "
              + keySize
              + " bytes"
              + split
              + "; "
              + spec.mode()
              + "("
              + spec.cipher()
              + ") takes "
              + Ciphers.keySizes(spec.cipher(), spec.mode()));
    }
    String hash = spec.essivHash();
    if (hash != null && !Ciphers.validKeySize(spec.cipher(), Digests.size(hash))) {
      throw KeyText.keyError(
          "the " + Digests.size(hash) + " bytes of " + hash + " are no key of " + spec.cipher());
    }
  }

  private static Engine select(Engines engines, String name, SectorAlgorithm algorithm)
      throws TargetException {
    try {
      return engines.select(name, algorithm);
    } catch (EngineException e) {
      throw notFound(e.getMessage());
    }
  }

  private static TargetException notFound(String detail) {
    return new TargetException(Errno.ENOENT, ALLOCATING, detail);
  }

  /** How far a sector's number is shifted to the right for the IV: iv_large_sectors. */
  int ivShift() {
    return options.has(Flag.IV_LARGE_SECTORS)
        ? Integer.numberOfTrailingZeros(options.sectorsPerBlock())
        : 0;
  }

  /** Bytes of an encryption sector. */
  int sectorSize() {
    return options.sectorSize();
  }
}
