package io.jdm.crypt.engine;

import io.jdm.crypt.engine.gcrypt.GcryptEngine;

class GcryptEngineTest extends EngineContract {
  GcryptEngineTest() {
    super(new GcryptEngine());
  }
}
