package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.mapper.TargetException;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bad tables, with the words and the error number of the kernel, and in its order. */
final class RefusedTablesTest {
  private static final String K16 = "000102030405060708090a0b0c0d0e0f";
  private static final String K32 = K16 + K16;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0 8192 crypt aes-xts-plain64 K64 0 DEV              | EINVAL | Not enough arguments
          0 8192 crypt                                        | EINVAL | Not enough arguments
          0 8192 crypt aes-xts-plain64 :x:y:z 0 DEV 0 1 bogus | EINVAL | Cannot parse key size
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1          | EINVAL | Invalid number of feature args
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 x          | EINVAL | Invalid number of feature args
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 -1 a       | EINVAL | Invalid number of feature args
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 10 a b c d e f g h i j | EINVAL | Invalid number of feature args
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 bogus    | EINVAL | Invalid feature arguments
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 SECTOR_SIZE:512    | EINVAL | Invalid feature arguments
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 sector_size:       | EINVAL | Invalid feature arguments
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 sector_size:4096x  | EINVAL | Invalid feature arguments
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 sector_size:256    | EINVAL | Invalid feature value for sector_size
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 sector_size:1000   | EINVAL | Invalid feature value for sector_size
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 sector_size:8192   | EINVAL | Invalid feature value for sector_size
          0 8190 crypt aes-xts-plain64 K64 0 DEV 0 1 sector_size:4096   | EINVAL | Device size is not multiple of sector_size feature
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 integrity:0:none   | EINVAL | Invalid integrity arguments
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 integrity:481:none | EINVAL | Invalid integrity arguments
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 integrity:16       | EINVAL | Invalid integrity arguments
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 integrity:16:mac   | EINVAL | Unknown integrity profile
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 integrity_key_size:0 | EINVAL | Invalid integrity_key_size argument
          0 8192 crypt aes-xts-plain64 K64 0 DEV 0 1 integrity:16:aead  | EINVAL | Bad cipher specification
          0 8192 crypt capi:gcm(aes)-random K32 0 DEV 0 1 integrity:28:aead | EINVAL | Integrity profile not supported.
          0 8192 crypt capi:authenc(hmac) K32 0 DEV 0 1 integrity:28:aead | EINVAL | Invalid AEAD cipher spec
          0 8192 crypt capi:gcm(aes)-lmk K32 0 DEV 0 1 integrity:28:aead | EINVAL | AEAD transforms not supported for LMK
          0 8192 crypt foo-xts-plain64 zz x DEV x 1 bogus     | EINVAL | Invalid feature arguments
          0 8192 crypt foo-xts-plain64 zz x DEV x             | ENOENT | Error allocating crypto tfm
          0 8192 crypt aes-cbc-essiv:foo K16 0 DEV 0          | ENOENT | Error allocating crypto tfm
          0 8192 crypt aes-cbc-essiv:sha512 K16 0 DEV 0       | ENOENT | Error allocating crypto tfm
          0 8192 crypt aes-cbc-essiv:sha1 K16 0 DEV 0         | EINVAL | Error decoding and setting key
          0 8192 crypt aes-cbc-essiv:sha224 K16 0 DEV 0       | EINVAL | Error decoding and setting key
          0 8192 crypt cast5-cbc-essiv:sha256 K16 0 DEV 0     | ENOENT | Error allocating crypto tfm
          0 8192 crypt aes-xts-foo zz x DEV x                 | EINVAL | Invalid IV mode
          0 8192 crypt aes-xts- K64 0 DEV 0                   | EINVAL | Invalid IV mode
          0 8192 crypt aes-xts-plain64 zz x DEV x             | EINVAL | Error decoding and setting key
          0 8192 crypt aes-xts-plain64 K16 x DEV x            | EINVAL | Error decoding and setting key
          0 8192 crypt aes-xts-plain64 - 0 DEV 0              | EINVAL | Error decoding and setting key
          0 8192 crypt cipher_null-ecb 00 0 DEV 0             | EINVAL | Error decoding and setting key
          0 8192 crypt aes-xts-plain64 :64:logon:none x DEV x | ENOKEY | Error decoding and setting key
          0 8192 crypt aes:2-cbc-plain64 K16 0 DEV 0          | EINVAL | Error decoding and setting key
          0 8192 crypt aes:4096-cbc-plain64 K32 0 DEV 0       | EINVAL | Error decoding and setting key
          0 8192 crypt aes:1073741824-cbc-plain64 K32 0 DEV 0 | ENOMEM | Error allocating crypto tfm
          0 8192 crypt aes-cbc-tcw K16 0 DEV 0                | EINVAL | Error decoding and setting key
          0 8192 crypt aes-cbc-tcw K64 x DEV x 1 sector_size:4096     | EINVAL | Error creating IV
          0 8192 crypt aes-cbc-lmk K32 0 DEV 0 1 sector_size:4096     | EINVAL | Error creating IV
          0 8192 crypt aes-ctr-eboiv K32 0 DEV 0              | EINVAL | Error creating IV
          0 8192 crypt xchacha12,aes-adiantum-eboiv K32 0 DEV 0       | EINVAL | Error creating IV
          0 8192 crypt aes-cbc-elephant K64K16 0 DEV 0        | EINVAL | Unknown error
          0 8192 crypt blowfish-cbc-elephant K16K16aabbccddeeff0011 x DEV x | EINVAL | Error initialising IV
          0 8192 crypt aes-xts-random K64 0 DEV 0             | EINVAL | Integrity profile not supported.
          0 8192 crypt aes-xts-plain64 K64 x DEV x            | EINVAL | Invalid iv_offset sector
          0 8192 crypt aes-xts-plain64 K64 -1 DEV 0           | EINVAL | Invalid iv_offset sector
          0 8192 crypt aes-xts-plain64 K64 18446744073709551616 DEV 0 | EINVAL | Invalid iv_offset sector
          0 8192 crypt aes-xts-plain64 K64 3 DEV 0 1 sector_size:4096 | EINVAL | Invalid iv_offset sector
          0 8192 crypt aes-xts-plain64 K64 0 DEV x            | EINVAL | Invalid device sector
          0 8192 crypt aes-xts-plain64 K64 0 DEV -1           | EINVAL | Invalid device sector
          """)
  void isRefusedWithTheKernelsWords(String line, Errno errno, String reason) {
    String table = line.replace("K16", K16).replace("K32", K32).replace("K64", CryptFixture.KEY);
    TargetException e = refusal(table);
    assertThat(e.reason()).isEqualTo(reason);
    assertThat(e.errno()).isEqualTo(errno);
    assertThat(e.getMessage()).startsWith(reason + ": ").doesNotContain(K16);
  }

  @TestFactory
  Stream<DynamicTest> asInTheKernelsOwnTranscript() throws IOException {
    String transcript = Files.readString(SharedFolder.file("oracle/dmsetup-transcript.md"));
    Matcher matcher =
        Pattern.compile(
                """
                \\$ dmsetup create bad  --table '([^']* crypt[^']*)'
                --- stderr.*?--- kernel log
                [^\\n]*?crypt: ([^\\n]*) \\(-(\\w+)\\)
                """,
                Pattern.DOTALL)
            .matcher(transcript);
    return matcher
        .results()
        // What the transcript tells of the device's lookup is the mapper's.
        .filter(result -> !result.group(2).equals("Device lookup failed"))
        .filter(result -> !result.group().contains("too small") && !result.group().contains("h/w"))
        // Nine optional words became possible after 6.1, with integrity_key_size.
        .filter(result -> !result.group(1).contains(" 9 a b c"))
        .map(
            result ->
                dynamicTest(
                    result.group(2),
                    () -> {
                      TargetException e = refusal(result.group(1));
                      assertThat(e.reason()).isEqualTo(result.group(2));
                      assertThat(e.errno()).hasToString(result.group(3));
                    }));
  }

  private static TargetException refusal(String table) {
    return catchThrowableOfType(
        TargetException.class,
        () -> CryptFixture.open(table, MemoryDevice.ofSize(8192 * 512)).close());
  }
}
