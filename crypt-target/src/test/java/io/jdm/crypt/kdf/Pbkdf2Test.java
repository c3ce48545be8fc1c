package io.jdm.crypt.kdf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.crypt.key.KeyMaterial;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.bouncycastle.crypto.generators.PKCS5S2ParametersGenerator;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.util.DigestFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.jr.ob.JSON;

final class Pbkdf2Test {
  /** More than these take too long for what they add. */
  private static final int MOST_ITERATIONS = 100_000;

  private static byte[] derive(String hash, byte[] password, byte[] salt, long iterations, int size)
      throws IOException {
    try (KeyMaterial secret = KeyMaterial.copyOf(password);
        KeyMaterial key = Pbkdf2.derive(hash, secret, salt, iterations, size, KdfMonitor.NONE)) {
      return key.exposeBytes();
    }
  }

  /** RFC 6070, and for SHA-256 RFC 7914 section 11. */
  @ParameterizedTest
  @CsvSource({
    "sha1,password,salt,1,0c60c80f961f0e71f3a9b524af6012062fe037a6",
    "sha1,password,salt,4096,4b007901b765489abead49d926f721d065a429c1",
    "sha1,passwordPASSWORDpassword,saltSALTsaltSALTsaltSALTsaltSALTsalt,4096,"
        + "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038",
    "sha256,passwd,salt,1,55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
  })
  void answersOfTheRfcs(String hash, String password, String salt, int iterations, String key)
      throws IOException {
    byte[] expected = HexFormat.of().parseHex(key);
    assertThat(
            derive(
                hash,
                password.getBytes(StandardCharsets.US_ASCII),
                salt.getBytes(StandardCharsets.US_ASCII),
                iterations,
                expected.length))
        .isEqualTo(expected);
  }

  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> cryptsetupVectors() throws IOException {
    Map<String, Object> all =
        JSON.std.mapFrom(
            Files.readAllBytes(SharedFolder.file("images/cryptsetup/crypto-vectors.json")));
    List<Map<String, Object>> vectors = new ArrayList<>();
    for (Map<String, Object> vector : (List<Map<String, Object>>) all.get("kdf")) {
      if (vector.get("type").equals("pbkdf2")
          && (int) vector.get("iterations") <= MOST_ITERATIONS) {
        vectors.add(vector);
      }
    }
    assertThat(vectors).hasSizeGreaterThan(10);
    return vectors;
  }

  @ParameterizedTest
  @MethodSource("cryptsetupVectors")
  void answersOfCryptsetup(Map<String, Object> vector) throws IOException {
    HexFormat hex = HexFormat.of();
    byte[] expected = hex.parseHex((String) vector.get("output"));
    assertThat(
            derive(
                (String) vector.get("hash"),
                hex.parseHex((String) vector.get("password")),
                hex.parseHex((String) vector.get("salt")),
                (int) vector.get("iterations"),
                expected.length))
        .isEqualTo(expected);
  }

  /** Every hash, cloned in the middle, against a generator that clones nothing. */
  @Test
  void everyHashAgreesWithBouncyCastle() throws IOException {
    long seed = Long.getLong("jdm.random.seed", 20261201);
    Random random = new Random(seed);
    Map<String, org.bouncycastle.crypto.Digest> others =
        Map.of(
            "md5", DigestFactory.createMD5(),
            "sha224", DigestFactory.createSHA224(),
            "sha384", DigestFactory.createSHA384(),
            "sha512", DigestFactory.createSHA512(),
            "sha3-256", DigestFactory.createSHA3_256(),
            "sha3-512", DigestFactory.createSHA3_512(),
            "ripemd160", new org.bouncycastle.crypto.digests.RIPEMD160Digest(),
            "whirlpool", new org.bouncycastle.crypto.digests.WhirlpoolDigest(),
            "blake2b-512", new org.bouncycastle.crypto.digests.Blake2bDigest(512),
            "blake2s-256", new org.bouncycastle.crypto.digests.Blake2sDigest(256));
    for (Map.Entry<String, org.bouncycastle.crypto.Digest> other : others.entrySet()) {
      byte[] password = new byte[random.nextInt(300)];
      byte[] salt = new byte[random.nextInt(64)];
      random.nextBytes(password);
      random.nextBytes(salt);
      int iterations = 1 + random.nextInt(50);
      int size = 1 + random.nextInt(200);
      PKCS5S2ParametersGenerator generator = new PKCS5S2ParametersGenerator(other.getValue());
      generator.init(password, salt, iterations);
      byte[] expected = ((KeyParameter) generator.generateDerivedMacParameters(size * 8)).getKey();
      assertThat(derive(other.getKey(), password, salt, iterations, size))
          .as("%s, seed %d", other.getKey(), seed)
          .isEqualTo(expected);
    }
  }

  @Test
  void everyKnownHashCanBeCloned() throws IOException {
    for (String hash : Digests.names()) {
      assertThat(derive(hash, new byte[3], new byte[8], 3, 70)).as(hash).hasSize(70);
    }
  }

  @Test
  void aMonitorSeesHowFarItIsAndCanEndIt() {
    List<Double> seen = new ArrayList<>();
    try (KeyMaterial secret = KeyMaterial.copyOf(new byte[4])) {
      assertThatThrownBy(
              () ->
                  Pbkdf2.derive(
                      "sha256",
                      secret,
                      new byte[16],
                      1L << 32,
                      32,
                      fraction -> {
                        seen.add(fraction);
                        if (seen.size() == 3) {
                          throw new InterruptedIOException("enough");
                        }
                      }))
          .isInstanceOf(InterruptedIOException.class)
          .hasMessage("enough");
    }
    assertThat(seen).hasSize(3).isSorted().allMatch(fraction -> fraction > 0 && fraction < 1);
  }

  @Test
  void thePasswordStaysAsItWas() throws IOException {
    byte[] password = "secret".getBytes(StandardCharsets.US_ASCII);
    try (KeyMaterial secret = KeyMaterial.copyOf(password)) {
      Pbkdf2.derive("sha256", secret, new byte[8], 2, 32, KdfMonitor.NONE).close();
      assertThat(secret.exposeBytes()).isEqualTo(Arrays.copyOf(password, password.length));
    }
  }
}
