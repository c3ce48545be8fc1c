package io.jdm.crypt.cipher;

import java.util.Arrays;

/**
 * LRW (spec/dm-crypt.md section 4.5): the mask of block j is the tweak key times (IV + j) in
 * GF(2^128), all of them 128-bit big-endian numbers, reduced by x^128 + x^7 + x^2 + x + 1.
 *
 * <p>Counting up by one flips the k lowest bits, so the next mask is the last one xor the tweak key
 * times (2^k - 1), which a table holds for every k. Only a sector whose IV does not follow the
 * block before needs a whole multiplication.
 */
final class Lrw extends MaskedMode {
  private static final int BLOCK = 16;
  private static final int BITS = 128;
  private static final long REDUCTION = 0x87;

  /** The tweak key times 2^k: high halves at even, low halves at odd places. */
  private final long[] powers = new long[2 * BITS];

  /** The tweak key times (2^k - 1) at place k - 1. */
  private final long[] steps = new long[2 * BITS];

  private long maskHigh;
  private long maskLow;

  /**
   * @param cipher closed with this
   * @param tweakKey 16 bytes, copied
   */
  Lrw(int sectorSize, BlockCipher cipher, byte[] tweakKey) {
    super(sectorSize, cipher);
    long high = Words.be64(tweakKey, 0);
    long low = Words.be64(tweakKey, 8);
    long sumHigh = 0;
    long sumLow = 0;
    for (int k = 0; k < BITS; k++) {
      sumHigh ^= high;
      sumLow ^= low;
      powers[2 * k] = high;
      powers[2 * k + 1] = low;
      steps[2 * k] = sumHigh;
      steps[2 * k + 1] = sumLow;
      long carry = (high >> 63) & REDUCTION;
      high = high << 1 | low >>> 63;
      low = low << 1 ^ carry;
    }
  }

  @Override
  void mask(byte[] ivs, int iv, byte[] data, byte[] masks) {
    int run = data.length;
    long nextHigh = 0;
    long nextLow = 0;
    maskHigh = 0;
    maskLow = 0;
    int at = iv;
    for (int sector = 0; sector < run; sector += sectorSize) {
      long high = Words.be64(ivs, at);
      long low = Words.be64(ivs, at + 8);
      if (high != nextHigh || low != nextLow) {
        multiply(high, low);
      }
      for (int i = sector; i < sector + sectorSize; i += BLOCK) {
        Words.be64(masks, i, maskHigh);
        Words.be64(masks, i + 8, maskLow);
        Words.be64(data, i, Words.be64(data, i) ^ maskHigh);
        Words.be64(data, i + 8, Words.be64(data, i + 8) ^ maskLow);
        int step = 2 * trailingOnes(high, low);
        maskHigh ^= steps[step];
        maskLow ^= steps[step + 1];
        if (++low == 0) {
          high++;
        }
      }
      nextHigh = high;
      nextLow = low;
      at += BLOCK;
    }
  }

  /** Trailing one bits, but 127 for the number that is all ones: its successor is 0. */
  private static int trailingOnes(long high, long low) {
    return low == -1
        ? Math.min(64 + Long.numberOfTrailingZeros(~high), BITS - 1)
        : Long.numberOfTrailingZeros(~low);
  }

  private void multiply(long high, long low) {
    long productHigh = 0;
    long productLow = 0;
    for (int k = 0; k < BITS; k++) {
      long bit = k < 64 ? low >>> k : high >>> k;
      long mask = -(bit & 1);
      productHigh ^= powers[2 * k] & mask;
      productLow ^= powers[2 * k + 1] & mask;
    }
    maskHigh = productHigh;
    maskLow = productLow;
  }

  @Override
  public void close() {
    super.close();
    Arrays.fill(powers, 0);
    Arrays.fill(steps, 0);
    maskHigh = 0;
    maskLow = 0;
  }
}
