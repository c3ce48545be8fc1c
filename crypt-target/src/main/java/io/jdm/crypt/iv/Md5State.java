package io.jdm.crypt.iv;

/**
 * The chaining state of MD5 and its compression function (RFC 1321 section 3.4), for {@link Lmk},
 * which wants the state without MD5's padding. Not thread-safe.
 */
final class Md5State {
  /** Bytes of the state. */
  static final int SIZE = 16;

  /** 32-bit words of a block of 64 bytes. */
  static final int BLOCK_WORDS = 16;

  private static final int STEPS = 64;
  private static final int[] SHIFTS = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
  private static final int[] SINES = new int[STEPS];

  static {
    for (int i = 0; i < STEPS; i++) {
      SINES[i] = (int) (long) (StrictMath.abs(StrictMath.sin(i + 1)) * (1L << 32));
    }
  }

  private int a;
  private int b;
  private int c;
  private int d;

  Md5State() {
    reset();
  }

  /** Back to MD5's initial state. */
  void reset() {
    a = 0x67452301;
    b = 0xefcdab89;
    c = 0x98badcfe;
    d = 0x10325476;
  }

  void set(Md5State other) {
    a = other.a;
    b = other.b;
    c = other.c;
    d = other.d;
  }

  /** Writes the state, little endian. */
  void get(byte[] out) {
    Words.putLeInt(out, 0, a);
    Words.putLeInt(out, 4, b);
    Words.putLeInt(out, 8, c);
    Words.putLeInt(out, 12, d);
  }

  /** Takes one block of 16 little-endian words. */
  void compress(int[] block) {
    int w = a;
    int x = b;
    int y = c;
    int z = d;
    for (int i = 0; i < STEPS; i++) {
      int round = i >> 4;
      int sum =
          switch (round) {
            case 0 -> ((x & y) | (~x & z)) + block[i];
            case 1 -> ((z & x) | (~z & y)) + block[(5 * i + 1) & 15];
            case 2 -> (x ^ y ^ z) + block[(3 * i + 5) & 15];
            default -> (y ^ (x | ~z)) + block[(7 * i) & 15];
          };
      int rotated = Integer.rotateLeft(sum + w + SINES[i], SHIFTS[4 * round + (i & 3)]);
      w = z;
      z = y;
      y = x;
      x += rotated;
    }
    a += w;
    b += x;
    c += y;
    d += z;
  }
}
