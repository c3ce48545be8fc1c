package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.engine.bouncycastle.BouncyCastleEngine;
import java.util.Set;

class BouncyCastleEngineTest extends EngineContract {
  BouncyCastleEngineTest() {
    super(new BouncyCastleEngine());
  }

  @Override
  boolean libraryAllocates(SectorAlgorithm algorithm) {
    return Set.of("serpent", "camellia", "des3_ede")
        .contains(Ciphers.blockCipherOf(algorithm.cipher()));
  }
}
