/** The crypt target and its engines. */
module io.jdm.crypt {
  requires transitive io.jdm.blockdev;
  requires de.mkammerer.argon2.nolibs;
  requires java.management;
  requires jdk.management;
  requires org.bouncycastle.provider;
  requires org.conscrypt;
  requires org.jnrproject.ffi;
  requires org.jnrproject.jffi;
  requires tools.jackson.core;

  exports io.jdm.crypt;
  exports io.jdm.crypt.cipher;
  exports io.jdm.crypt.engine;
  exports io.jdm.crypt.iv;
  exports io.jdm.crypt.kdf;
  exports io.jdm.crypt.key;
  exports io.jdm.volume;
  exports io.jdm.volume.luks1;
  exports io.jdm.volume.luks2;
  exports io.jdm.volume.plain;

  // jnr-ffi generates the classes that implement the libraries' interfaces.
  opens io.jdm.crypt.engine.gcrypt to
      org.jnrproject.ffi;
  opens io.jdm.crypt.linux to
      org.jnrproject.ffi;

  uses io.jdm.crypt.engine.Engine;
  uses io.jdm.volume.VolumeFormat;

  provides io.jdm.blockdev.DeviceScheme with
      io.jdm.volume.VolumeScheme;
  provides io.jdm.blockdev.file.HolePuncher with
      io.jdm.crypt.linux.LinuxHolePuncher;
  provides io.jdm.mapper.TargetType with
      io.jdm.crypt.CryptTargetType;
  provides io.jdm.crypt.engine.Engine with
      io.jdm.crypt.engine.gcrypt.GcryptEngine,
      io.jdm.crypt.engine.conscrypt.ConscryptEngine,
      io.jdm.crypt.engine.corretto.CorrettoEngine,
      io.jdm.crypt.engine.jdk.JdkEngine,
      io.jdm.crypt.engine.bouncycastle.BouncyCastleEngine;
  provides io.jdm.volume.VolumeFormat with
      io.jdm.volume.luks1.Luks1Format,
      io.jdm.volume.luks2.Luks2Format;
}
