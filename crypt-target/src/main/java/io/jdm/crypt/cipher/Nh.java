package io.jdm.crypt.cipher;

import java.util.Arrays;

/**
 * The almost universal hash NH of adiantum (spec/dm-crypt.md section 4.14): up to 1024 bytes to 32,
 * in four passes over the same data with the key shifted by 16 bytes. Not thread-safe.
 */
final class Nh {
  /** Bytes hashed at once. */
  static final int PIECE = 1024;

  /** Bytes of the key. */
  static final int KEY = PIECE + 3 * 16;

  private final int[] key = new int[KEY / 4];
  private long sum0;
  private long sum1;
  private long sum2;
  private long sum3;

  /** The key's bytes at this place. */
  Nh(byte[] bytes, int index) {
    for (int i = 0; i < key.length; i++) {
      key[i] = Words.le32(bytes, index + 4 * i);
    }
  }

  /**
   * Hashes; the result are the four sums.
   *
   * @param length bytes, a multiple of 16, at most {@link #PIECE}
   */
  void hash(byte[] data, int index, int length) {
    long s0 = 0;
    long s1 = 0;
    long s2 = 0;
    long s3 = 0;
    int k = 0;
    for (int at = index; at < index + length; at += 16) {
      int w0 = Words.le32(data, at);
      int w1 = Words.le32(data, at + 4);
      int w2 = Words.le32(data, at + 8);
      int w3 = Words.le32(data, at + 12);
      s0 += product(w0 + key[k], w2 + key[k + 2]) + product(w1 + key[k + 1], w3 + key[k + 3]);
      s1 += product(w0 + key[k + 4], w2 + key[k + 6]) + product(w1 + key[k + 5], w3 + key[k + 7]);
      s2 += product(w0 + key[k + 8], w2 + key[k + 10]) + product(w1 + key[k + 9], w3 + key[k + 11]);
      s3 +=
          product(w0 + key[k + 12], w2 + key[k + 14]) + product(w1 + key[k + 13], w3 + key[k + 15]);
      k += 4;
    }
    sum0 = s0;
    sum1 = s1;
    sum2 = s2;
    sum3 = s3;
  }

  private static long product(int a, int b) {
    return Integer.toUnsignedLong(a) * Integer.toUnsignedLong(b);
  }

  long sum0() {
    return sum0;
  }

  long sum1() {
    return sum1;
  }

  long sum2() {
    return sum2;
  }

  long sum3() {
    return sum3;
  }

  void wipe() {
    Arrays.fill(key, 0);
    sum0 = 0;
    sum1 = 0;
    sum2 = 0;
    sum3 = 0;
  }
}
