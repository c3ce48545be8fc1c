package io.jdm.crypt.cipher;

/**
 * CTR: block j is masked with the encrypted number IV + j. The IV is one big-endian number as long
 * as a block, whatever made it, and wraps (spec/dm-crypt.md section 4.13).
 */
final class Ctr extends ChainMode {
  Ctr(int sectorSize, BlockCipher cipher) {
    super(sectorSize, cipher, cipher.blockSize(), PARALLEL_RUN);
  }

  @Override
  void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int run = in.length;
    byte[] counters = work(run);
    int at = iv;
    for (int sector = 0; sector < run; sector += sectorSize) {
      if (blockSize == Long.BYTES) {
        count64(Words.be64(ivs, at), counters, sector);
      } else {
        count128(Words.be64(ivs, at), Words.be64(ivs, at + 8), counters, sector);
      }
      at += blockSize;
    }
    cipher.encrypt(counters, 0, out, 0, run);
    Words.xor(out, in, run);
  }

  private void count64(long first, byte[] counters, int sector) {
    long number = first;
    for (int i = sector; i < sector + sectorSize; i += 8) {
      Words.be64(counters, i, number++);
    }
  }

  private void count128(long firstHigh, long firstLow, byte[] counters, int sector) {
    long high = firstHigh;
    long low = firstLow;
    for (int i = sector; i < sector + sectorSize; i += 16) {
      Words.be64(counters, i, high);
      Words.be64(counters, i + 8, low);
      if (++low == 0) {
        high++;
      }
    }
  }

  @Override
  void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    encryptRun(ivs, iv, in, out);
  }
}
