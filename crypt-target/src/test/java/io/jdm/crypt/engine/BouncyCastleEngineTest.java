package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.engine.bouncycastle.BouncyCastleEngine;

class BouncyCastleEngineTest extends EngineContract {
  BouncyCastleEngineTest() {
    super(new BouncyCastleEngine());
  }

  @Override
  boolean libraryAllocates(SectorAlgorithm algorithm) {
    // Most of its ciphers make an array for every block, which the JIT removes from some.
    return !Ciphers.blockCipherOf(algorithm.cipher()).equals("aes");
  }
}
