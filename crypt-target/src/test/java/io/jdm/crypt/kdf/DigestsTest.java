package io.jdm.crypt.kdf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DigestsTest {
  /** The published hashes of "abc", of those with long results the beginning. */
  @ParameterizedTest
  @CsvSource({
    "md4,16,a448017aaf21d8525fc10ae87aa6729d",
    "md5,16,900150983cd24fb0d6963f7d28e17f72",
    "sha1,20,a9993e364706816aba3e25717850c26c9cd0d89d",
    "sha224,28,23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
    "sha256,32,ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "sha384,48,cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163",
    "sha512,64,ddaf35a193617abacc417349ae20413112e6fa4e89a97ea2",
    "sha3-224,28,e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf",
    "sha3-256,32,3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
    "sha3-384,48,ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c25",
    "sha3-512,64,b751850b1a57168a5693cd924b6b096e08f621827444f70d",
    "rmd160,20,8eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
    "ripemd160,20,8eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
    "wp256,32,4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c",
    "wp384,48,4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c",
    "wp512,64,4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c",
    "whirlpool,64,4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c",
    "blake2b-256,32,bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
    "blake2b-512,64,ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b7",
    "blake2s-256,32,508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982",
    "sm3,32,66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0",
  })
  void hashesByTheKernelsNames(String name, int size, String beginning) {
    MessageDigest digest = Digests.create(name);
    byte[] hash = digest.digest("abc".getBytes(StandardCharsets.US_ASCII));
    assertThat(Digests.known(name)).isTrue();
    assertThat(Digests.size(name)).isEqualTo(size);
    assertThat(hash).hasSize(size).startsWith(HexFormat.of().parseHex(beginning));
    assertThat(digest.digest("abc".getBytes(StandardCharsets.US_ASCII)))
        .as("used again")
        .isEqualTo(hash);
  }

  @Test
  void knowsNoOtherNames() {
    assertThat(Digests.known("SHA256")).isFalse();
    assertThat(Digests.known("crc32")).isFalse();
    assertThatThrownBy(() -> Digests.create("foo")).isInstanceOf(IllegalArgumentException.class);
    assertThat(Digests.names()).contains("sha256", "streebog256", "blake2b-160");
  }
}
