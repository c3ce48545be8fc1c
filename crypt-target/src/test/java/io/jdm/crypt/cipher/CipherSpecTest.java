package io.jdm.crypt.cipher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.TargetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CipherSpecTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          aes-xts-plain64                      | aes           | xts      | 1  | -      | plain64
          aes-cbc-essiv:sha256                 | aes           | cbc      | 1  | sha256 | plain64
          aes-cbc-plain:whatever-it:is         | aes           | cbc      | 1  | -      | plain
          aes:64-cbc-lmk                       | aes           | cbc      | 64 | -      | lmk
          aes                                  | aes           | cbc      | 1  | -      | plain
          serpent:4                            | serpent       | cbc      | 4  | -      | plain
          aes-plain                            | aes           | cbc      | 1  | -      | plain
          aes-ecb                              | aes           | ecb      | 1  | -      | -
          aes-ecb-plain64                      | aes           | ecb      | 1  | -      | -
          aes-ecb-nosuch                       | aes           | ecb      | 1  | -      | -
          aes-xts-plain64-x                    | aes           | xts      | 1  | -      | plain64-x
          cipher_null-ecb                      | cipher_null   | ecb      | 1  | -      | -
          cipher_null-ecb-null                 | cipher_null   | ecb      | 1  | -      | -
          xchacha12,aes-adiantum-plain64       | xchacha12,aes | adiantum | 1  | -      | plain64
          capi:xts(aes)-plain64                | aes           | xts      | 1  | -      | plain64
          capi:xts(aes)                        | aes           | xts      | 1  | -      | -
          capi:cbc(aes)-essiv:sha256           | aes           | cbc      | 1  | sha256 | plain64
          capi:cbc(aes)-essiv:blake2b-256      | aes           | cbc      | 1  | blake2b-256 | plain64
          capi:essiv(cbc(aes),sha256)-plain64  | aes           | cbc      | 1  | sha256 | plain64
          capi:essiv(cbc(aes),sha256)-benbi    | aes           | cbc      | 1  | sha256 | benbi
          capi:cbc(aes)-lmk                    | aes           | cbc      | 64 | -      | lmk
          capi:adiantum(xchacha12,aes)-plain64 | xchacha12,aes | adiantum | 1  | -      | plain64
          capi:ecb(aes)-plain                  | aes           | ecb      | 1  | -      | -
          """)
  void takesBothGrammarsApart(
      String text, String cipher, String mode, int keyCount, String hash, String ivMode)
      throws TargetException {
    assertThat(CipherSpec.parse(text))
        .isEqualTo(new CipherSpec(text, cipher, mode, keyCount, hash, ivMode));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          xts(aes)-plain64            | EINVAL | Bad cipher specification
          aes:3-cbc-plain             | EINVAL | Bad cipher key count specification
          aes:0-cbc-plain             | EINVAL | Bad cipher key count specification
          aes:-cbc-plain              | EINVAL | Bad cipher key count specification
          aes:+4-cbc-plain            | EINVAL | Bad cipher key count specification
          aes:4:4-cbc-plain           | EINVAL | Bad cipher key count specification
          aes:4294967296-cbc-plain    | EINVAL | Bad cipher key count specification
          -                           | EINVAL | IV mechanism required
          aes-                        | EINVAL | IV mechanism required
          aes-xts                     | EINVAL | IV mechanism required
          nosuch-xts                  | EINVAL | IV mechanism required
          aes-cbc-essiv               | EINVAL | Digest algorithm missing for ESSIV mode
          capi:cbc(aes)-essiv         | EINVAL | Digest algorithm missing for ESSIV mode
          nosuch-cbc-essiv            | EINVAL | Digest algorithm missing for ESSIV mode
          foo-xts-plain64             | ENOENT | Error allocating crypto tfm
          aes-foo-plain64             | ENOENT | Error allocating crypto tfm
          aes--plain                  | ENOENT | Error allocating crypto tfm
          blowfish-xts-plain64        | ENOENT | Error allocating crypto tfm
          des-lrw-benbi               | ENOENT | Error allocating crypto tfm
          aes-adiantum-plain64        | ENOENT | Error allocating crypto tfm
          xchacha12,aes-xts-plain64   | ENOENT | Error allocating crypto tfm
          xchacha8,aes-adiantum-plain | ENOENT | Error allocating crypto tfm
          aes-ecb-essiv:sha256        | ENOENT | Error allocating crypto tfm
          xchacha12,aes-adiantum-essiv:sha256      | ENOENT | Error allocating crypto tfm
          capi:                       | ENOENT | Error allocating crypto tfm
          capi:aes                    | ENOENT | Error allocating crypto tfm
          capi:foo(aes)-plain64       | ENOENT | Error allocating crypto tfm
          capi:xts(aes                | ENOENT | Error allocating crypto tfm
          capi:xts-aes-aesni          | ENOENT | Error allocating crypto tfm
          capi:gcm(aes)-random        | ENOENT | Error allocating crypto tfm
          capi:essiv(cbc(aes),sha256)-essiv:sha256 | ENOENT | Error allocating crypto tfm
          """)
  void refusesWithTheKernelsWords(String text, Errno errno, String reason) {
    TargetException e = catchThrowableOfType(TargetException.class, () -> CipherSpec.parse(text));
    assertThat(e.reason()).isEqualTo(reason);
    assertThat(e.errno()).isEqualTo(errno);
  }

  @Test
  void namesWhatThereIsInsteadOfAnUnknownCipherOrMode() {
    assertThat(catchThrowableOfType(TargetException.class, () -> CipherSpec.parse("foo-xts-plain")))
        .hasMessageContaining("foo")
        .hasMessageContaining("aes, serpent, twofish");
    assertThat(catchThrowableOfType(TargetException.class, () -> CipherSpec.parse("aes-foo-plain")))
        .hasMessageContaining("xts, cbc, ecb");
    assertThat(catchThrowableOfType(TargetException.class, () -> CipherSpec.parse("des-xts-plain")))
        .hasMessageContaining("8-byte blocks of des");
  }
}
