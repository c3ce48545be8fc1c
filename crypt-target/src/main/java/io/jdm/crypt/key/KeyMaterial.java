package io.jdm.crypt.key;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Secret bytes outside the heap, where no collector copies them: a key, a passphrase, what a KDF
 * takes or gives. One owner, who closes it; closing overwrites the bytes with zeros. Every place
 * that sees the bytes calls a method that starts with {@code expose}, so that they can all be
 * found.
 *
 * <p>Neither {@code toString} nor {@code equals} look inside. Thread-safe for reading; {@link
 * #close()} must come after the last use.
 */
public final class KeyMaterial implements AutoCloseable {
  private final ByteBuffer bytes;
  private volatile boolean closed;

  private KeyMaterial(int size) {
    bytes = ByteBuffer.allocateDirect(size);
  }

  /** Takes a copy; the caller wipes its own. */
  public static KeyMaterial copyOf(byte[] secret) {
    KeyMaterial key = new KeyMaterial(secret.length);
    key.bytes.put(0, secret);
    return key;
  }

  /** Takes a copy and overwrites the array with zeros. */
  public static KeyMaterial moveFrom(byte[] secret) {
    try {
      return copyOf(secret);
    } finally {
      Arrays.fill(secret, (byte) 0);
    }
  }

  /** This many random bytes. */
  public static KeyMaterial random(int size) {
    byte[] secret = new byte[size];
    new SecureRandom().nextBytes(secret);
    return moveFrom(secret);
  }

  /** Bytes of the secret. */
  public int size() {
    return bytes.capacity();
  }

  /** A part of the secret, with an owner of its own. */
  public KeyMaterial part(int offset, int length) {
    requireOpen();
    KeyMaterial part = new KeyMaterial(length);
    part.bytes.put(0, bytes, offset, length);
    return part;
  }

  /**
   * A copy on the heap for interfaces that take nothing else. The caller wipes it as soon as it
   * can.
   */
  public byte[] exposeBytes() {
    requireOpen();
    byte[] copy = new byte[size()];
    bytes.get(0, copy);
    return copy;
  }

  /**
   * A read-only view for native code: position 0, limit {@link #size()}, direct. Not to be kept.
   */
  public ByteBuffer exposeBuffer() {
    requireOpen();
    return bytes.asReadOnlyBuffer().clear();
  }

  /** Overwrites the bytes with zeros. Calls after the first do nothing. */
  @Override
  public void close() {
    closed = true;
    for (int i = 0; i < bytes.capacity(); i++) {
      bytes.put(i, (byte) 0);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the key was wiped");
    }
  }

  @Override
  public String toString() {
    return "KeyMaterial[" + size() + " bytes" + (closed ? ", wiped]" : "]");
  }
}
