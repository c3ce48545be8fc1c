package io.jdm.crypt.cipher;

/**
 * CFB with feedback of whole blocks: each block is masked with the encrypted block of ciphertext
 * before it, the first with the encrypted IV. The block cipher only ever encrypts.
 */
final class Cfb extends SerialMode {
  Cfb(int sectorSize, BlockCipher cipher) {
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
          long encrypted = Words.le64(in, at + word) ^ Words.le64(after, i + word);
          Words.le64(out, at + word, encrypted);
          Words.le64(chain, i + word, encrypted);
        }
        at += sectorSize;
      }
    }
  }

  @Override
  void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int run = in.length;
    byte[] previous = work(run);
    System.arraycopy(in, 0, previous, blockSize, run - blockSize);
    int at = iv;
    for (int sector = 0; sector < run; sector += sectorSize) {
      System.arraycopy(ivs, at, previous, sector, blockSize);
      at += blockSize;
    }
    cipher.encrypt(previous, 0, out, 0, run);
    Words.xor(out, in, run);
  }
}
