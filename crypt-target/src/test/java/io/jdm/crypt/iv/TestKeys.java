package io.jdm.crypt.iv;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.CipherSpec;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;

/** What a table gives its IV mode, made from a cipher spec and a key, on any engine. */
record TestKeys(
    IvGeometry geometry,
    KeyMaterial subKey,
    KeyMaterial firstKey,
    KeyMaterial extraKey,
    SectorCipher firstCipher)
    implements IvKeys {

  /** The IV mode for the sub-key of one 512-byte sector. */
  static IvMode open(String cipher, byte[] key, int sectorSize, long sector) throws IOException {
    CipherSpec spec = CipherSpec.parse(cipher);
    IvType type = spec.ivMode() == null ? IvTypes.NONE : IvTypes.byName(spec.ivMode());
    if (spec.essivHash() != null) {
      type = Essiv.over(type, spec.essivHash());
    }
    IvGeometry geometry =
        new IvGeometry(
            spec.cipher(),
            spec.mode(),
            spec.ivSize(),
            Ciphers.blockSize(spec.cipher(), spec.mode()),
            sectorSize,
            key.length,
            spec.keyCount());
    type.check(geometry);
    KeyLayout layout = type.layout(geometry);
    int size = layout.subKeySize();
    KeyMaterial whole = KeyMaterial.copyOf(key);
    KeyMaterial first = whole.part(0, size);
    SectorAlgorithm algorithm = new SectorAlgorithm(spec.cipher(), spec.mode(), size, sectorSize);
    return type.create(
        new TestKeys(
            geometry,
            whole.part((int) (sector & (spec.keyCount() - 1)) * size, size),
            first,
            whole.part(layout.extraOffset(), layout.extraSize()),
            Engines.installed().select(null, algorithm).sectorCipher(algorithm, first)));
  }

  @Override
  public BlockCipher blockCipher(String cipher, KeyMaterial key) throws IOException {
    return Engines.installed().selectBlock(null, cipher, key.size()).blockCipher(cipher, key);
  }
}
