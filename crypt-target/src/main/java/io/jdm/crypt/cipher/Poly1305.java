package io.jdm.crypt.cipher;

/**
 * The polynomial hash of Poly1305 (RFC 8439) without its final addition of a second key half, as
 * adiantum uses it. The accumulator is held in five limbs of 26 bits. Not thread-safe.
 */
final class Poly1305 {
  private static final long LIMB = (1 << 26) - 1;

  private long r0;
  private long r1;
  private long r2;
  private long r3;
  private long r4;
  private long a0;
  private long a1;
  private long a2;
  private long a3;
  private long a4;
  private long low;
  private long high;

  /** The 16 bytes of the key at this place, clamped as RFC 8439 wants. */
  Poly1305(byte[] key, int index) {
    long keyLow = Words.le64(key, index) & 0x0ffffffc0fffffffL;
    long keyHigh = Words.le64(key, index + 8) & 0x0ffffffc0ffffffcL;
    r0 = keyLow & LIMB;
    r1 = keyLow >>> 26 & LIMB;
    r2 = (keyLow >>> 52 | keyHigh << 12) & LIMB;
    r3 = keyHigh >>> 14 & LIMB;
    r4 = keyHigh >>> 40;
  }

  void reset() {
    a0 = 0;
    a1 = 0;
    a2 = 0;
    a3 = 0;
    a4 = 0;
  }

  /** Adds a block of 16 bytes, given as a little-endian number, and multiplies. */
  void block(long blockLow, long blockHigh) {
    long b0 = a0 + (blockLow & LIMB);
    long b1 = a1 + (blockLow >>> 26 & LIMB);
    long b2 = a2 + ((blockLow >>> 52 | blockHigh << 12) & LIMB);
    long b3 = a3 + (blockHigh >>> 14 & LIMB);
    long b4 = a4 + (blockHigh >>> 40 | 1 << 24);
    long s1 = 5 * r1;
    long s2 = 5 * r2;
    long s3 = 5 * r3;
    long s4 = 5 * r4;
    long p0 = b0 * r0 + b1 * s4 + b2 * s3 + b3 * s2 + b4 * s1;
    long p1 = b0 * r1 + b1 * r0 + b2 * s4 + b3 * s3 + b4 * s2;
    long p2 = b0 * r2 + b1 * r1 + b2 * r0 + b3 * s4 + b4 * s3;
    long p3 = b0 * r3 + b1 * r2 + b2 * r1 + b3 * r0 + b4 * s4;
    long p4 = b0 * r4 + b1 * r3 + b2 * r2 + b3 * r1 + b4 * r0;
    p1 += p0 >>> 26;
    p2 += p1 >>> 26;
    p3 += p2 >>> 26;
    p4 += p3 >>> 26;
    long first = (p0 & LIMB) + 5 * (p4 >>> 26);
    a0 = first & LIMB;
    a1 = (p1 & LIMB) + (first >>> 26);
    a2 = p2 & LIMB;
    a3 = p3 & LIMB;
    a4 = p4 & LIMB;
  }

  /** Reduces what was added; then {@link #low()} and {@link #high()} give it modulo 2^128. */
  void finish() {
    long carry = a1 >>> 26;
    a1 &= LIMB;
    a2 += carry;
    carry = a2 >>> 26;
    a2 &= LIMB;
    a3 += carry;
    carry = a3 >>> 26;
    a3 &= LIMB;
    a4 += carry;
    carry = a4 >>> 26;
    a4 &= LIMB;
    a0 += 5 * carry;
    carry = a0 >>> 26;
    a0 &= LIMB;
    a1 += carry;
    // Now below 2^130; subtract 2^130 - 5 once if it is not below that, without a branch on it.
    long c0 = a0 + 5;
    long c1 = a1 + (c0 >>> 26);
    long c2 = a2 + (c1 >>> 26);
    long c3 = a3 + (c2 >>> 26);
    long c4 = a4 + (c3 >>> 26);
    long reduced = -(c4 >>> 26);
    a0 ^= (a0 ^ (c0 & LIMB)) & reduced;
    a1 ^= (a1 ^ (c1 & LIMB)) & reduced;
    a2 ^= (a2 ^ (c2 & LIMB)) & reduced;
    a3 ^= (a3 ^ (c3 & LIMB)) & reduced;
    a4 ^= (a4 ^ (c4 & LIMB)) & reduced;
    low = a0 | a1 << 26 | a2 << 52;
    high = a2 >>> 12 | a3 << 14 | a4 << 40;
  }

  long low() {
    return low;
  }

  long high() {
    return high;
  }

  void wipe() {
    reset();
    r0 = 0;
    r1 = 0;
    r2 = 0;
    r3 = 0;
    r4 = 0;
    low = 0;
    high = 0;
  }
}
