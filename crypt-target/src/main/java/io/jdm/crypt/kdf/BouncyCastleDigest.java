package io.jdm.crypt.kdf;

import java.security.MessageDigest;
import java.util.Arrays;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.bouncycastle.crypto.digests.Blake2sDigest;
import org.bouncycastle.util.Memoable;

/**
 * A digest of Bouncy Castle's in the JDK's clothes, without its provider (whose loading costs more
 * than any hash here). The result may be cut, as the kernel's wp256 and wp384 cut Whirlpool.
 */
final class BouncyCastleDigest extends MessageDigest implements Cloneable {
  private final Digest digest;
  private final int size;

  BouncyCastleDigest(Digest digest, int size) {
    super(digest.getAlgorithmName());
    this.digest = digest;
    this.size = size;
  }

  @Override
  protected int engineGetDigestLength() {
    return size;
  }

  @Override
  protected void engineUpdate(byte input) {
    digest.update(input);
  }

  @Override
  protected void engineUpdate(byte[] input, int offset, int length) {
    digest.update(input, offset, length);
  }

  @Override
  protected byte[] engineDigest() {
    byte[] whole = new byte[digest.getDigestSize()];
    digest.doFinal(whole, 0);
    if (size == whole.length) {
      return whole;
    }
    byte[] cut = Arrays.copyOf(whole, size);
    Arrays.fill(whole, (byte) 0);
    return cut;
  }

  @Override
  protected void engineReset() {
    digest.reset();
  }

  /** A digest that goes on from where this one is. */
  @Override
  public Object clone() throws CloneNotSupportedException {
    return new BouncyCastleDigest(copy(digest), size);
  }

  private static Digest copy(Digest digest) throws CloneNotSupportedException {
    if (digest instanceof Memoable memoable) {
      return (Digest) memoable.copy();
    }
    if (digest instanceof Blake2bDigest blake2b) {
      return new Blake2bDigest(blake2b);
    }
    if (digest instanceof Blake2sDigest blake2s) {
      return new Blake2sDigest(blake2s);
    }
    throw new CloneNotSupportedException(digest.getAlgorithmName());
  }
}
