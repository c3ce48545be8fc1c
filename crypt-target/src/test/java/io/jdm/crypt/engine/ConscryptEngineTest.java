package io.jdm.crypt.engine;

import io.jdm.crypt.engine.conscrypt.ConscryptEngine;

class ConscryptEngineTest extends EngineContract {
  ConscryptEngineTest() {
    super(new ConscryptEngine());
  }
}
