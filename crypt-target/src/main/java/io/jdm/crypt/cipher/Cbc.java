package io.jdm.crypt.cipher;

/**
 * CBC: each block of plaintext is masked with the block of ciphertext before it, the first with the
 * IV.
 */
final class Cbc extends SerialMode {
  Cbc(int sectorSize, BlockCipher cipher) {
    super(sectorSize, cipher);
  }

  @Override
  void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int width = start(ivs, iv, in.length);
    byte[] last = chain;
    for (int j = 0; j < sectorSize; j += blockSize) {
      gather(in, j, last, before, width);
      cipher.encrypt(before, 0, after, 0, width);
      scatter(after, out, j, width);
      last = after;
    }
  }

  private void gather(byte[] in, int block, byte[] last, byte[] to, int width) {
    int at = block;
    for (int i = 0; i < width; i += blockSize) {
      for (int word = 0; word < blockSize; word += 8) {
        Words.le64(to, i + word, Words.le64(in, at + word) ^ Words.le64(last, i + word));
      }
      at += sectorSize;
    }
  }

  private void scatter(byte[] from, byte[] out, int block, int width) {
    int at = block;
    for (int i = 0; i < width; i += blockSize) {
      for (int word = 0; word < blockSize; word += 8) {
        Words.le64(out, at + word, Words.le64(from, i + word));
      }
      at += sectorSize;
    }
  }

  @Override
  void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    cipher.decryptCbc(in, 0, out, 0, in.length);
    // The whole run was one chain; the first block of each sector wants its IV instead.
    int at = iv;
    for (int sector = 0; sector < in.length; sector += sectorSize) {
      for (int word = 0; word < blockSize; word += 8) {
        long previous = sector == 0 ? 0 : Words.le64(in, sector - blockSize + word);
        Words.le64(
            out,
            sector + word,
            Words.le64(out, sector + word) ^ previous ^ Words.le64(ivs, at + word));
      }
      at += blockSize;
    }
  }
}
