package io.jdm.nbd.transport;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * TLS certificates in a folder, by the names that qemu, nbdkit and libnbd use: {@code ca-cert.pem},
 * {@code server-cert.pem} and {@code server-key.pem}, {@code client-cert.pem} and {@code
 * client-key.pem}. Private keys are PKCS#8 or PKCS#1 in PEM, without a passphrase.
 */
public final class PemCredentials {
  private static final String PKCS8 = "PRIVATE KEY";
  private static final String PKCS1 = "RSA PRIVATE KEY";

  /** DER of version 0 and the algorithm rsaEncryption with null parameters: RFC 5208, RFC 8017. */
  private static final byte[] RSA_ALGORITHM = {
    2, 1, 0, 0x30, 13, 6, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 13, 1, 1, 1, 5, 0
  };

  private PemCredentials() {}

  /** What a server needs; clients prove themselves to the same authority if they are asked to. */
  public static SSLContext server(Path folder) throws IOException {
    return context(folder, "server", true);
  }

  /** What a client needs; its own certificate is optional. */
  public static SSLContext client(Path folder) throws IOException {
    boolean own = Files.exists(folder.resolve("client-cert.pem"));
    return context(folder, "client", own);
  }

  private static SSLContext context(Path folder, String side, boolean own) throws IOException {
    char[] password = new char[0];
    try {
      KeyStore authorities = KeyStore.getInstance("PKCS12");
      authorities.load(null, null);
      int i = 0;
      for (Certificate certificate : certificates(folder.resolve("ca-cert.pem"))) {
        authorities.setCertificateEntry("ca" + i++, certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(authorities);
      TrustManager[] trustManagers = trust.getTrustManagers();
      KeyManager[] keyManagers = null;
      if (own) {
        KeyStore identity = KeyStore.getInstance("PKCS12");
        identity.load(null, null);
        identity.setKeyEntry(
            side,
            privateKey(folder.resolve(side + "-key.pem")),
            password,
            certificates(folder.resolve(side + "-cert.pem")).toArray(Certificate[]::new));
        KeyManagerFactory keys =
            KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(identity, password);
        keyManagers = keys.getKeyManagers();
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keyManagers, trustManagers, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw failure(folder, e.getMessage(), e);
    }
  }

  private static Collection<? extends Certificate> certificates(Path file)
      throws IOException, GeneralSecurityException {
    Collection<? extends Certificate> certificates;
    try {
      certificates =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes(file)));
    } catch (CertificateException e) {
      throw failure(file, "a certificate is damaged: " + e.getMessage(), e);
    }
    if (certificates.isEmpty()) {
      throw failure(file, "there is no certificate in it", null);
    }
    return certificates;
  }

  private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
    byte[] pem = bytes(file);
    byte[] der = null;
    try {
      der = section(file, pem, PKCS8);
      if (der == null) {
        byte[] rsa = section(file, pem, PKCS1);
        if (rsa == null) {
          throw failure(file, "there is no PKCS#8 or PKCS#1 private key in it", null);
        }
        der = wrapRsa(rsa);
        Arrays.fill(rsa, (byte) 0);
      }
      PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(der);
      for (String algorithm : new String[] {"RSA", "EC", "EdDSA"}) {
        try {
          return KeyFactory.getInstance(algorithm).generatePrivate(spec);
        } catch (InvalidKeySpecException e) {
          // A key of another algorithm.
        }
      }
      throw failure(file, "its key is damaged or of an unknown algorithm", null);
    } finally {
      Arrays.fill(pem, (byte) 0);
      if (der != null) {
        Arrays.fill(der, (byte) 0);
      }
    }
  }

  /** The decoded content between the BEGIN and END lines of a label, or null. */
  private static byte[] section(Path file, byte[] pem, String label) throws IOException {
    int start = indexOf(pem, "-----BEGIN " + label + "-----", 0);
    int end = indexOf(pem, "-----END " + label + "-----", Math.max(start, 0));
    if (start < 0 || end < 0) {
      return null;
    }
    start += label.length() + "-----BEGIN -----".length();
    byte[] base64 = Arrays.copyOfRange(pem, start, end);
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw failure(file, "the " + label + " is not base64", e);
    } finally {
      Arrays.fill(base64, (byte) 0);
    }
  }

  private static int indexOf(byte[] bytes, String text, int from) {
    for (int i = from; i <= bytes.length - text.length(); i++) {
      int n = 0;
      while (n < text.length() && bytes[i + n] == text.charAt(n)) {
        n++;
      }
      if (n == text.length()) {
        return i;
      }
    }
    return -1;
  }

  /** PKCS#8 around a PKCS#1 key: SEQUENCE of version, algorithm, OCTET STRING. */
  private static byte[] wrapRsa(byte[] key) {
    byte[] octets = withHeader(4, key, new byte[0]);
    byte[] wrapped = withHeader(0x30, RSA_ALGORITHM, octets);
    Arrays.fill(octets, (byte) 0);
    return wrapped;
  }

  private static byte[] withHeader(int tag, byte[] first, byte[] second) {
    int length = first.length + second.length;
    byte[] out = new byte[4 + length];
    out[0] = (byte) tag;
    out[1] = (byte) 0x82;
    out[2] = (byte) (length >> 8);
    out[3] = (byte) length;
    System.arraycopy(first, 0, out, 4, first.length);
    System.arraycopy(second, 0, out, 4 + first.length, second.length);
    return out;
  }

  private static byte[] bytes(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new DeviceException(Errno.ENOENT, "no TLS certificates: no file " + file, e);
    }
  }

  private static DeviceException failure(Path file, String reason, Throwable cause) {
    return new DeviceException(
        Errno.EINVAL, "TLS certificates cannot be used: " + reason + ": " + file, cause);
  }
}
