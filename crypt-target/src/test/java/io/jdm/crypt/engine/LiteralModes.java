package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.engine.bouncycastle.BouncyCastleEngine;
import io.jdm.crypt.key.KeyMaterial;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The chain modes once more, written down literally from spec/dm-crypt.md sections 4.5, 4.13 and
 * 4.14, one block and one sector at a time, with numbers as {@link BigInteger}s: slow, and as
 * unlike the real ones as can be. Block ciphers are Bouncy Castle's.
 */
final class LiteralModes {
  private static final BigInteger TWO_128 = BigInteger.ONE.shiftLeft(128);
  private static final BigInteger POLY_PRIME =
      BigInteger.ONE.shiftLeft(130).subtract(BigInteger.valueOf(5));
  private static final BigInteger CLAMP = new BigInteger("0ffffffc0ffffffc0ffffffc0fffffff", 16);

  private final SectorAlgorithm algorithm;
  private final byte[] key;
  private final List<BigInteger> tweakKeyTimesPowers;
  private final int blockSize;
  private final Map<ByteBuffer, BlockCipher> ciphers = new HashMap<>();

  LiteralModes(SectorAlgorithm algorithm, byte[] key) {
    this.algorithm = algorithm;
    this.key = key;
    tweakKeyTimesPowers =
        algorithm.mode().equals("lrw")
            ? timesPowers(new BigInteger(1, part(key, key.length - 16, 16)))
            : List.of();
    blockSize = Ciphers.blockSize(Ciphers.blockCipherOf(algorithm.cipher()));
  }

  /** One sector, encrypted. */
  byte[] encrypt(byte[] iv, byte[] in) throws EngineException {
    String cipher = algorithm.cipher();
    switch (algorithm.mode()) {
      case "xts" -> {
        byte[] first = Arrays.copyOf(key, key.length / 2);
        byte[] second = Arrays.copyOfRange(key, key.length / 2, key.length);
        BigInteger mask = little(block(cipher, second, iv));
        byte[] out = new byte[in.length];
        for (int i = 0; i < in.length; i += 16) {
          byte[] t = little(mask, 16);
          put(out, i, xor(block(cipher, first, xor(part(in, i, 16), t)), t));
          mask = mask.shiftLeft(1);
          if (mask.bitLength() > 128) {
            mask = mask.xor(TWO_128).xor(BigInteger.valueOf(0x87));
          }
        }
        return out;
      }
      case "lrw" -> {
        byte[] first = Arrays.copyOf(key, key.length - 16);
        BigInteger number = new BigInteger(1, iv);
        byte[] out = new byte[in.length];
        for (int i = 0; i < in.length; i += 16) {
          byte[] x = big(multiply(number), 16);
          put(out, i, xor(block(cipher, first, xor(part(in, i, 16), x)), x));
          number = number.add(BigInteger.ONE).mod(TWO_128);
        }
        return out;
      }
      case "adiantum" -> {
        return adiantum(iv, in);
      }
      default -> {
        return chain(algorithm.mode(), iv, in);
      }
    }
  }

  private byte[] chain(String mode, byte[] iv, byte[] in) throws EngineException {
    byte[] out = new byte[in.length];
    byte[] last = iv;
    BigInteger counter = new BigInteger(1, iv);
    for (int i = 0; i < in.length; i += blockSize) {
      byte[] p = part(in, i, blockSize);
      byte[] c;
      switch (mode) {
        case "ecb" -> c = e(p);
        case "cbc" -> {
          c = e(xor(p, last));
          last = c;
        }
        case "pcbc" -> {
          c = e(xor(p, last));
          last = xor(p, c);
        }
        case "cfb" -> {
          c = xor(p, e(last));
          last = c;
        }
        case "ofb" -> {
          last = e(last);
          c = xor(p, last);
        }
        case "ctr" -> {
          c = xor(p, e(big(counter, blockSize)));
          counter = counter.add(BigInteger.ONE).mod(BigInteger.ONE.shiftLeft(8 * blockSize));
        }
        default -> throw new IllegalArgumentException(mode);
      }
      put(out, i, c);
    }
    return out;
  }

  private byte[] e(byte[] block) throws EngineException {
    return block(algorithm.cipher(), key, block);
  }

  private byte[] block(String cipher, byte[] blockKey, byte[] in) throws EngineException {
    BlockCipher blocks = ciphers.get(ByteBuffer.wrap(blockKey));
    if (blocks == null) {
      try (KeyMaterial material = KeyMaterial.copyOf(blockKey)) {
        blocks = new BouncyCastleEngine().blockCipher(cipher, material);
      }
      ciphers.put(ByteBuffer.wrap(blockKey), blocks);
    }
    byte[] out = new byte[in.length];
    blocks.encrypt(in, 0, out, 0, in.length);
    return out;
  }

  private BigInteger multiply(BigInteger b) {
    BigInteger product = BigInteger.ZERO;
    for (int bit = 0; bit < b.bitLength(); bit++) {
      if (b.testBit(bit)) {
        product = product.xor(tweakKeyTimesPowers.get(bit));
      }
    }
    return product;
  }

  /** An LRW tweak key times x^k for every k. */
  private static List<BigInteger> timesPowers(BigInteger tweakKey) {
    List<BigInteger> powers = new ArrayList<>();
    BigInteger power = tweakKey;
    for (int bit = 0; bit < 128; bit++) {
      powers.add(power);
      power = power.shiftLeft(1);
      if (power.testBit(128)) {
        power = power.xor(TWO_128).xor(BigInteger.valueOf(0x87));
      }
    }
    return powers;
  }

  private byte[] adiantum(byte[] iv, byte[] in) throws EngineException {
    String[] ciphers = algorithm.cipher().split(",");
    int rounds = Integer.parseInt(ciphers[0].substring(7));
    byte[] nonce = new byte[24];
    nonce[0] = 1;
    byte[] derived = xchacha(rounds, key, nonce, 1136);
    byte[] left = Arrays.copyOf(in, in.length - 16);
    BigInteger right = little(part(in, in.length - 16, 16));
    byte[] pm = little(right.add(hash(derived, iv, left)).mod(TWO_128), 16);
    byte[] cm = block(ciphers[1], part(derived, 0, 32), pm);
    byte[] stream = Arrays.copyOf(cm, 24);
    stream[16] = 1;
    byte[] newLeft = xor(left, xchacha(rounds, key, stream, left.length));
    byte[] out = Arrays.copyOf(newLeft, in.length);
    BigInteger newRight = little(cm).subtract(hash(derived, iv, newLeft)).mod(TWO_128);
    put(out, in.length - 16, little(newRight, 16));
    return out;
  }

  private static BigInteger hash(byte[] derived, byte[] iv, byte[] left) {
    ByteBuffer header = ByteBuffer.allocate(16 + iv.length).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(8L * left.length).putLong(0).put(iv);
    ByteBuffer sums = ByteBuffer.allocate((left.length + 1023) / 1024 * 32);
    sums.order(ByteOrder.LITTLE_ENDIAN);
    for (int piece = 0; piece < left.length; piece += 1024) {
      byte[] data = part(left, piece, Math.min(1024, left.length - piece));
      for (int pass = 0; pass < 4; pass++) {
        long sum = 0;
        for (int i = 0; i < data.length; i += 16) {
          long[] w = new long[4];
          for (int j = 0; j < 4; j++) {
            int word = int32(data, i + 4 * j) + int32(derived, 64 + i + 16 * pass + 4 * j);
            w[j] = word & 0xffffffffL;
          }
          sum += w[0] * w[2] + w[1] * w[3];
        }
        sums.putLong(sum);
      }
    }
    return poly(part(derived, 32, 16), header.array())
        .add(poly(part(derived, 48, 16), sums.array()));
  }

  private static BigInteger poly(byte[] key, byte[] data) {
    BigInteger r = little(key).and(CLAMP);
    BigInteger a = BigInteger.ZERO;
    for (int i = 0; i < data.length; i += 16) {
      a = a.add(little(part(data, i, 16))).add(TWO_128).multiply(r).mod(POLY_PRIME);
    }
    return a.mod(TWO_128);
  }

  private static byte[] xchacha(int rounds, byte[] key, byte[] nonce, int length) {
    int[] sub = new int[16];
    start(sub, key);
    for (int i = 0; i < 4; i++) {
      sub[12 + i] = int32(nonce, 4 * i);
    }
    permute(sub, rounds);
    ByteBuffer subKey = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
    for (int i : new int[] {0, 1, 2, 3, 12, 13, 14, 15}) {
      subKey.putInt(sub[i]);
    }
    ByteBuffer stream = ByteBuffer.allocate((length + 63) / 64 * 64).order(ByteOrder.LITTLE_ENDIAN);
    for (int block = 0; stream.hasRemaining(); block++) {
      int[] state = new int[16];
      start(state, subKey.array());
      state[12] = block;
      state[14] = int32(nonce, 16);
      state[15] = int32(nonce, 20);
      int[] first = state.clone();
      permute(state, rounds);
      for (int i = 0; i < 16; i++) {
        stream.putInt(state[i] + first[i]);
      }
    }
    return Arrays.copyOf(stream.array(), length);
  }

  private static void start(int[] state, byte[] key) {
    byte[] constant = "expand 32-byte k".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 4; i++) {
      state[i] = int32(constant, 4 * i);
    }
    for (int i = 0; i < 8; i++) {
      state[4 + i] = int32(key, 4 * i);
    }
  }

  private static void permute(int[] s, int rounds) {
    for (int i = 0; i < rounds; i += 2) {
      quarter(s, 0, 4, 8, 12);
      quarter(s, 1, 5, 9, 13);
      quarter(s, 2, 6, 10, 14);
      quarter(s, 3, 7, 11, 15);
      quarter(s, 0, 5, 10, 15);
      quarter(s, 1, 6, 11, 12);
      quarter(s, 2, 7, 8, 13);
      quarter(s, 3, 4, 9, 14);
    }
  }

  private static void quarter(int[] s, int a, int b, int c, int d) {
    s[a] += s[b];
    s[d] = Integer.rotateLeft(s[d] ^ s[a], 16);
    s[c] += s[d];
    s[b] = Integer.rotateLeft(s[b] ^ s[c], 12);
    s[a] += s[b];
    s[d] = Integer.rotateLeft(s[d] ^ s[a], 8);
    s[c] += s[d];
    s[b] = Integer.rotateLeft(s[b] ^ s[c], 7);
  }

  private static int int32(byte[] bytes, int index) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(index);
  }

  private static byte[] part(byte[] bytes, int from, int length) {
    return Arrays.copyOfRange(bytes, from, from + length);
  }

  private static void put(byte[] to, int index, byte[] bytes) {
    System.arraycopy(bytes, 0, to, index, bytes.length);
  }

  private static byte[] xor(byte[] a, byte[] b) {
    byte[] result = a.clone();
    for (int i = 0; i < a.length; i++) {
      result[i] ^= b[i];
    }
    return result;
  }

  private static BigInteger little(byte[] bytes) {
    return new BigInteger(1, reverse(bytes));
  }

  private static byte[] little(BigInteger number, int size) {
    return reverse(big(number, size));
  }

  private static byte[] big(BigInteger number, int size) {
    byte[] bytes = number.toByteArray();
    byte[] result = new byte[size];
    int n = Math.min(size, bytes.length);
    System.arraycopy(bytes, bytes.length - n, result, size - n, n);
    return result;
  }

  private static byte[] reverse(byte[] bytes) {
    byte[] result = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      result[i] = bytes[bytes.length - 1 - i];
    }
    return result;
  }
}
