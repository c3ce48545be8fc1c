/** The crypt target and its engines. */
module io.jdm.crypt {
  requires transitive io.jdm.blockdev;
  requires org.bouncycastle.provider;

  exports io.jdm.crypt;
  exports io.jdm.crypt.cipher;
  exports io.jdm.crypt.engine;
  exports io.jdm.crypt.iv;
  exports io.jdm.crypt.kdf;
  exports io.jdm.crypt.key;

  uses io.jdm.crypt.engine.Engine;

  provides io.jdm.mapper.TargetType with
      io.jdm.crypt.CryptTargetType;
}
