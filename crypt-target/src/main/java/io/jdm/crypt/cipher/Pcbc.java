package io.jdm.crypt.cipher;

/**
 * PCBC: each block of plaintext is masked with the block before it, plaintext xor ciphertext; the
 * first with the IV.
 */
final class Pcbc extends SerialMode {
  Pcbc(int sectorSize, BlockCipher cipher) {
    super(sectorSize, cipher);
  }

  @Override
  void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int width = start(ivs, iv, in.length);
    for (int j = 0; j < sectorSize; j += blockSize) {
      int at = j;
      for (int i = 0; i < width; i += blockSize) {
        for (int word = 0; word < blockSize; word += 8) {
          Words.le64(before, i + word, Words.le64(in, at + word) ^ Words.le64(chain, i + word));
        }
        at += sectorSize;
      }
      cipher.encrypt(before, 0, after, 0, width);
      at = j;
      for (int i = 0; i < width; i += blockSize) {
        for (int word = 0; word < blockSize; word += 8) {
          long encrypted = Words.le64(after, i + word);
          Words.le64(out, at + word, encrypted);
          Words.le64(chain, i + word, encrypted ^ Words.le64(in, at + word));
        }
        at += sectorSize;
      }
    }
  }

  @Override
  void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int width = start(ivs, iv, in.length);
    cipher.decrypt(in, 0, out, 0, in.length);
    for (int i = 0; i < width; i += 8) {
      int from = i / blockSize * sectorSize + i % blockSize;
      long last = Words.le64(chain, i);
      for (int at = from; at < from + sectorSize; at += blockSize) {
        long plain = Words.le64(out, at) ^ last;
        Words.le64(out, at, plain);
        last = plain ^ Words.le64(in, at);
      }
    }
  }
}
