package io.jdm.crypt.kdf;

import io.jdm.crypt.key.KeyMaterial;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * PBKDF2 with HMAC (source: RFC 8018 section 5.2) over bytes, with any hash of {@link Digests}. The
 * JDK's own takes characters only.
 *
 * <p>Each HMAC begins with a digest that has already taken in the padded key: two of those are
 * cloned for every iteration, which halves the work and makes it as fast as native libraries.
 */
public final class Pbkdf2 {
  private static final int MONITORED = 1 << 15;
  private static final byte INNER = 0x36;
  private static final byte OUTER = 0x5c;

  private Pbkdf2() {}

  /**
   * Derives a key.
   *
   * @param hash a name that is {@link Digests#known}
   * @param password any bytes, also none; stays the caller's
   * @param iterations from 1
   * @param size bytes of the key, from 1
   * @return a key that the caller closes
   * @throws InterruptedIOException if the monitor ends it
   */
  public static KeyMaterial derive(
      String hash, KeyMaterial password, byte[] salt, long iterations, int size, KdfMonitor monitor)
      throws InterruptedIOException {
    if (iterations < 1 || size < 1) {
      throw new IllegalArgumentException(iterations + " iterations for " + size + " bytes");
    }
    byte[] secret = password.exposeBytes();
    byte[] key = new byte[size];
    try {
      Hmac hmac = new Hmac(hash, secret);
      int blocks = (size + hmac.size() - 1) / hmac.size();
      for (int i = 0; i < blocks; i++) {
        byte[] block = block(hmac, salt, i, blocks, iterations, monitor);
        int start = i * hmac.size();
        System.arraycopy(block, 0, key, start, Math.min(block.length, size - start));
        Arrays.fill(block, (byte) 0);
      }
      return KeyMaterial.copyOf(key);
    } catch (CloneNotSupportedException | DigestException e) {
      throw new IllegalStateException("every hash here can be cloned: " + hash, e);
    } finally {
      Arrays.fill(secret, (byte) 0);
      Arrays.fill(key, (byte) 0);
    }
  }

  private static byte[] block(
      Hmac hmac, byte[] salt, int index, int blocks, long iterations, KdfMonitor monitor)
      throws InterruptedIOException, CloneNotSupportedException, DigestException {
    byte[] link = new byte[hmac.size()];
    byte[] sum = new byte[hmac.size()];
    boolean complete = false;
    try {
      byte[] first = ByteBuffer.allocate(salt.length + 4).put(salt).putInt(index + 1).array();
      hmac.of(first, link);
      System.arraycopy(link, 0, sum, 0, sum.length);
      for (long i = 1; i < iterations; i++) {
        hmac.of(link, link);
        for (int j = 0; j < sum.length; j++) {
          sum[j] ^= link[j];
        }
        if (i % MONITORED == 0) {
          monitor.progress((index + (double) i / iterations) / blocks);
        }
      }
      complete = true;
      return sum;
    } finally {
      Arrays.fill(link, (byte) 0);
      if (!complete) {
        Arrays.fill(sum, (byte) 0);
      }
    }
  }

  /** HMAC (RFC 2104) with one key; its digests have the padded key behind them. */
  private static final class Hmac {
    private final MessageDigest inner;
    private final MessageDigest outer;

    Hmac(String hash, byte[] secret) {
      inner = Digests.create(hash);
      outer = Digests.create(hash);
      byte[] padded = new byte[Digests.blockSize(hash)];
      byte[] key = secret.length > padded.length ? inner.digest(secret) : secret;
      System.arraycopy(key, 0, padded, 0, key.length);
      xor(padded, INNER);
      inner.update(padded);
      xor(padded, (byte) (INNER ^ OUTER));
      outer.update(padded);
      Arrays.fill(padded, (byte) 0);
      if (key != secret) {
        Arrays.fill(key, (byte) 0);
      }
    }

    private static void xor(byte[] bytes, byte with) {
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] ^= with;
      }
    }

    int size() {
      return inner.getDigestLength();
    }

    /** {@code result} may be {@code message}. */
    void of(byte[] message, byte[] result) throws CloneNotSupportedException, DigestException {
      MessageDigest digest = (MessageDigest) inner.clone();
      digest.update(message);
      digest.digest(result, 0, result.length);
      digest = (MessageDigest) outer.clone();
      digest.update(result);
      digest.digest(result, 0, result.length);
    }
  }
}
