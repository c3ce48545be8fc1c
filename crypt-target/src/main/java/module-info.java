/** The crypt target and its engines. */
module io.jdm.crypt {
  requires transitive io.jdm.blockdev;

  exports io.jdm.crypt.cipher;
  exports io.jdm.crypt.engine;
  exports io.jdm.crypt.key;

  uses io.jdm.crypt.engine.Engine;
}
