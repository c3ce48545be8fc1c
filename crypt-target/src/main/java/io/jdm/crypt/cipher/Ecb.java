package io.jdm.crypt.cipher;

/** ECB: each block by itself, no IV. */
final class Ecb extends ChainMode {
  Ecb(int sectorSize, BlockCipher cipher) {
    super(sectorSize, cipher, 0, PARALLEL_RUN);
  }

  @Override
  void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    cipher.encrypt(in, 0, out, 0, in.length);
  }

  @Override
  void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    cipher.decrypt(in, 0, out, 0, in.length);
  }
}
