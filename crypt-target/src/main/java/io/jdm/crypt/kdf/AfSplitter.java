package io.jdm.crypt.kdf;

import io.jdm.crypt.key.KeyMaterial;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The anti-forensic splitter of LUKS: spreads a key over many stripes, all of which are needed to
 * get it back (source: spec/luks1.md section 3). Thread-safe.
 */
public final class AfSplitter {
  private AfSplitter() {}

  /**
   * Spreads a key.
   *
   * @param hash a name that is {@link Digests#known}
   * @param stripes from 1
   * @param random gives all stripes but the last
   * @return {@code stripes} times the key's size bytes, which the caller wipes
   */
  public static byte[] split(String hash, KeyMaterial key, int stripes, SecureRandom random) {
    int size = key.size();
    byte[] material = new byte[Math.multiplyExact(size, stripes)];
    byte[] others = new byte[material.length - size];
    random.nextBytes(others);
    System.arraycopy(others, 0, material, 0, others.length);
    Arrays.fill(others, (byte) 0);
    byte[] last = key.exposeBytes();
    byte[] mask = mask(hash, material, size, stripes);
    for (int i = 0; i < size; i++) {
      material[material.length - size + i] = (byte) (last[i] ^ mask[i]);
    }
    Arrays.fill(last, (byte) 0);
    Arrays.fill(mask, (byte) 0);
    return material;
  }

  /**
   * Gets a key back.
   *
   * @param hash a name that is {@link Digests#known}
   * @param material at least {@code stripes} times {@code size} bytes; what follows is not used
   * @param size bytes of the key
   * @return a key that the caller closes; noise if the material is not what {@link #split} made
   */
  public static KeyMaterial merge(String hash, byte[] material, int size, int stripes) {
    byte[] key = mask(hash, material, size, stripes);
    int last = size * (stripes - 1);
    for (int i = 0; i < size; i++) {
      key[i] ^= material[last + i];
    }
    return KeyMaterial.moveFrom(key);
  }

  /** What all stripes but the last amount to. */
  private static byte[] mask(String hash, byte[] material, int size, int stripes) {
    MessageDigest digest = Digests.create(hash);
    byte[] mask = new byte[size];
    for (int stripe = 0; stripe < stripes - 1; stripe++) {
      for (int i = 0; i < size; i++) {
        mask[i] ^= material[stripe * size + i];
      }
      diffuse(digest, mask);
    }
    return mask;
  }

  /** Each piece of the digest's size becomes its own hash; a short last one stays short. */
  private static void diffuse(MessageDigest digest, byte[] block) {
    int step = digest.getDigestLength();
    byte[] counter = new byte[Integer.BYTES];
    for (int i = 0; i * step < block.length; i++) {
      int length = Math.min(step, block.length - i * step);
      ByteBuffer.wrap(counter).putInt(i);
      digest.update(counter);
      digest.update(block, i * step, length);
      byte[] hashed = digest.digest();
      System.arraycopy(hashed, 0, block, i * step, length);
      Arrays.fill(hashed, (byte) 0);
    }
  }
}
