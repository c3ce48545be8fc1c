package io.jdm.crypt.kdf;

import java.security.MessageDigest;
import java.util.Arrays;
import org.bouncycastle.crypto.Digest;

/**
 * A digest of Bouncy Castle's in the JDK's clothes, without its provider (whose loading costs more
 * than any hash here). The result may be cut, as the kernel's wp256 and wp384 cut Whirlpool.
 */
final class BouncyCastleDigest extends MessageDigest {
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
}
