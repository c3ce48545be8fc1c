package io.jdm.crypt.kdf;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.bouncycastle.crypto.ExtendedDigest;
import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.bouncycastle.crypto.digests.Blake2sDigest;
import org.bouncycastle.crypto.digests.GOST3411_2012_256Digest;
import org.bouncycastle.crypto.digests.GOST3411_2012_512Digest;
import org.bouncycastle.crypto.digests.MD4Digest;
import org.bouncycastle.crypto.digests.RIPEMD160Digest;
import org.bouncycastle.crypto.digests.SM3Digest;
import org.bouncycastle.crypto.digests.WhirlpoolDigest;

/**
 * Hash functions by the names the kernel and cryptsetup have for them, in lower case: {@code
 * sha256}, {@code rmd160} or {@code ripemd160}, {@code wp512} or {@code whirlpool}. The JDK's where
 * it has them, else Bouncy Castle's. Thread-safe; what {@link #create} returns is not.
 */
public final class Digests {
  private static final Map<String, Hash> DIGESTS = new LinkedHashMap<>();

  static {
    jdk("md5", "MD5", 64);
    jdk("sha1", "SHA-1", 64);
    jdk("sha224", "SHA-224", 64);
    jdk("sha256", "SHA-256", 64);
    jdk("sha384", "SHA-384", 128);
    jdk("sha512", "SHA-512", 128);
    for (int bits : new int[] {224, 256, 384, 512}) {
      jdk("sha3-" + bits, "SHA3-" + bits, 200 - 2 * bits / 8);
    }
    bouncyCastle("md4", MD4Digest::new);
    bouncyCastle("rmd160", RIPEMD160Digest::new);
    bouncyCastle("ripemd160", RIPEMD160Digest::new);
    for (int bits : new int[] {256, 384, 512}) {
      put("wp" + bits, () -> new BouncyCastleDigest(new WhirlpoolDigest(), bits / 8), 64);
    }
    bouncyCastle("whirlpool", WhirlpoolDigest::new);
    for (int bits : new int[] {160, 256, 384, 512}) {
      bouncyCastle("blake2b-" + bits, () -> new Blake2bDigest(bits));
    }
    for (int bits : new int[] {128, 160, 224, 256}) {
      bouncyCastle("blake2s-" + bits, () -> new Blake2sDigest(bits));
    }
    bouncyCastle("sm3", SM3Digest::new);
    bouncyCastle("streebog256", GOST3411_2012_256Digest::new);
    bouncyCastle("streebog512", GOST3411_2012_512Digest::new);
  }

  /** How to make one, and the bytes that it takes in at a time. */
  private record Hash(Supplier<MessageDigest> maker, int blockSize) {}

  private Digests() {}

  private static void jdk(String name, String jcaName, int blockSize) {
    put(
        name,
        () -> {
          try {
            return MessageDigest.getInstance(jcaName);
          } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no " + jcaName, e);
          }
        },
        blockSize);
  }

  private static void bouncyCastle(String name, Supplier<ExtendedDigest> digest) {
    put(
        name,
        () -> {
          ExtendedDigest d = digest.get();
          return new BouncyCastleDigest(d, d.getDigestSize());
        },
        digest.get().getByteLength());
  }

  private static void put(String name, Supplier<MessageDigest> maker, int blockSize) {
    DIGESTS.put(name, new Hash(maker, blockSize));
  }

  /** All names, for messages. */
  public static Set<String> names() {
    return Collections.unmodifiableSet(DIGESTS.keySet());
  }

  /** Whether there is a hash of this name. */
  public static boolean known(String name) {
    return DIGESTS.containsKey(name);
  }

  /** Bytes of the hash of a name that is {@link #known}. */
  public static int size(String name) {
    return create(name).getDigestLength();
  }

  /** Bytes of the blocks that a hash of a {@link #known} name works on, which HMAC pads keys to. */
  public static int blockSize(String name) {
    return hash(name).blockSize;
  }

  /** A new digest of a name that is {@link #known}; it can be cloned. */
  public static MessageDigest create(String name) {
    return hash(name).maker.get();
  }

  private static Hash hash(String name) {
    Hash hash = DIGESTS.get(name);
    if (hash == null) {
      throw new IllegalArgumentException("unknown hash " + name);
    }
    return hash;
  }
}
