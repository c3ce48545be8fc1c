package io.jdm.crypt.kdf;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.crypt.key.KeyMaterial;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.jr.ob.JSON;

final class AfSplitterTest {
  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> vectors() throws IOException {
    Map<String, Object> all =
        JSON.std.mapFrom(Files.readAllBytes(SharedFolder.file("spec/luks-vectors.json")));
    return (List<Map<String, Object>>) all.get("af");
  }

  /** Gives these bytes instead of random ones. */
  private static SecureRandom giving(byte[] stripes) {
    return new SecureRandom() {
      private static final long serialVersionUID = 1L;

      @Override
      public void nextBytes(byte[] bytes) {
        System.arraycopy(stripes, 0, bytes, 0, bytes.length);
      }
    };
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void splitsAndMergesAsPublished(Map<String, Object> vector) {
    HexFormat hex = HexFormat.of();
    String hash = (String) vector.get("hash");
    int stripes = (int) vector.get("stripes");
    byte[] split = hex.parseHex((String) vector.get("split"));
    byte[] plain = hex.parseHex((String) vector.get("key"));
    byte[] random = hex.parseHex((String) vector.get("random"));
    try (KeyMaterial key = KeyMaterial.copyOf(plain);
        KeyMaterial merged = AfSplitter.merge(hash, split, plain.length, stripes)) {
      assertThat(AfSplitter.split(hash, key, stripes, giving(random))).isEqualTo(split);
      assertThat(merged.exposeBytes()).isEqualTo(plain);
    }
  }

  @ParameterizedTest
  @CsvSource({"sha1,64", "sha256,32", "whirlpool,48", "sha512,16", "ripemd160,64"})
  void oneFlippedBitAnywhereLosesTheKey(String hash, int size) {
    byte[] split;
    byte[] plain = new byte[size];
    new SecureRandom().nextBytes(plain);
    try (KeyMaterial key = KeyMaterial.copyOf(plain)) {
      split = AfSplitter.split(hash, key, 4000, new SecureRandom());
    }
    try (KeyMaterial merged = AfSplitter.merge(hash, split, size, 4000)) {
      assertThat(merged.exposeBytes()).isEqualTo(plain);
    }
    split[split.length / 3] ^= 4;
    try (KeyMaterial merged = AfSplitter.merge(hash, split, size, 4000)) {
      assertThat(merged.exposeBytes()).isNotEqualTo(plain);
    }
  }
}
