package io.jdm.crypt.engine;

import io.jdm.crypt.engine.corretto.CorrettoEngine;

class CorrettoEngineTest extends EngineContract {
  CorrettoEngineTest() {
    super(new CorrettoEngine());
  }
}
