package io.jdm.crypt.engine;

import io.jdm.crypt.engine.jdk.JdkEngine;

class JdkEngineTest extends EngineContract {
  JdkEngineTest() {
    super(new JdkEngine());
  }
}
