package io.jdm.crypt.iv;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;

/**
 * What an IV mode under construction may use. The keys stay the giver's and are not kept; block
 * ciphers belong to the mode.
 */
public interface IvKeys {
  /** The sizes of the table. */
  IvGeometry geometry();

  /** The sub-key whose sectors the mode will serve. */
  KeyMaterial subKey();

  /** The first sub-key. */
  KeyMaterial firstKey();

  /** The mode's own bytes of the key, as its layout placed them. */
  KeyMaterial extraKey();

  /** The data cipher of the first sub-key, for use by the same worker; it stays the giver's. */
  SectorCipher firstCipher();

  /** A new keyed block cipher. */
  BlockCipher blockCipher(String cipher, KeyMaterial key) throws IOException;
}
