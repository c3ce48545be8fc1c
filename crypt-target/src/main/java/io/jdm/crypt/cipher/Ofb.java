package io.jdm.crypt.cipher;

/** OFB: the masks are the IV encrypted once, twice, and so on. */
final class Ofb extends SerialMode {
  Ofb(int sectorSize, BlockCipher cipher) {
    super(sectorSize, cipher);
  }

  @Override
  void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int width = start(ivs, iv, in.length);
    for (int j = 0; j < sectorSize; j += blockSize) {
      cipher.encrypt(chain, 0, after, 0, width);
      int at = j;
      for (int i = 0; i < width; i += blockSize) {
        for (int word = 0; word < blockSize; word += 8) {
          long mask = Words.le64(after, i + word);
          Words.le64(out, at + word, Words.le64(in, at + word) ^ mask);
          Words.le64(chain, i + word, mask);
        }
        at += sectorSize;
      }
    }
  }

  @Override
  void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    encryptRun(ivs, iv, in, out);
  }
}
