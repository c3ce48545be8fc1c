package io.jdm.crypt.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.TargetException;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class KeyTextTest {
  private static final String NOT_SET = "Error decoding and setting key";

  private final Keyring keyring = new Keyring();

  @ParameterizedTest
  @CsvSource({"00ff,00ff", "00FF,00ff", "aBcD,abcd", "00ff7,00ff", "00ffz,00ff"})
  void decodesHexOfEitherCaseAndNeverLooksAtAnOddDigit(String word, String key)
      throws TargetException {
    assertThat(resolve(word)).isEqualTo(HexFormat.of().parseHex(key));
  }

  @Test
  void aHyphenIsNoKey() throws TargetException {
    assertThat(parse("-").size()).isZero();
    assertThat(resolve("-")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"xy", "0g", "0", "a", "", "@", "00\u0660\u0661"})
  void refusesWhatIsNoKey(String word) {
    TargetException e = catchThrowableOfType(TargetException.class, () -> resolve(word));
    assertThat(e.reason()).isEqualTo(NOT_SET);
    assertThat(e.errno()).isEqualTo(Errno.EINVAL);
  }

  @Test
  void noErrorShowsAKey() {
    TargetException e =
        catchThrowableOfType(TargetException.class, () -> resolve("c0ffeec0ffeex0"));
    assertThat(e).hasMessage(NOT_SET + ": character 13 of the key is not a hexadecimal digit");
  }

  @Test
  void takesKeysFromTheKeyringByTypeAndDescription() throws TargetException {
    keyring.add("logon", "cryptsetup:a:b", KeyMaterial.copyOf(new byte[] {1, 2}));
    keyring.add("user", "cryptsetup:a:b", KeyMaterial.copyOf(new byte[] {3}));
    assertThat(resolve(":2:logon:cryptsetup:a:b")).containsExactly(1, 2);
    assertThat(resolve(":1:user:cryptsetup:a:b")).containsExactly(3);
    assertThat(parse(":2:logon:cryptsetup:a:b").reference()).isEqualTo("logon:cryptsetup:a:b");
    assertThat(parse("00").reference()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    ":,EINVAL,Cannot parse key size",
    ":32,EINVAL,Cannot parse key size",
    "::logon:k,EINVAL,Cannot parse key size",
    ":x:logon:k,EINVAL,Cannot parse key size",
    ":-1:logon:k,EINVAL,Cannot parse key size",
    ":4294967296:logon:k,EINVAL,Cannot parse key size",
    ":1:,EINVAL,Error decoding and setting key",
    ":1:logon,EINVAL,Error decoding and setting key",
    ":1:logon:,EINVAL,Error decoding and setting key",
    ":1::k,EINVAL,Error decoding and setting key",
    ":1:LOGON:k,EINVAL,Error decoding and setting key",
    ":1:keyring:k,EINVAL,Error decoding and setting key",
    ":1:logon:nosuch,ENOKEY,Error decoding and setting key",
    ":1:logon:two words,EINVAL,Error decoding and setting key",
    ":2:logon:k,EINVAL,Error decoding and setting key",
    ":0:logon:k,EINVAL,Error decoding and setting key",
  })
  void refusesKeyringWords(String word, Errno errno, String reason) {
    keyring.add("logon", "k", KeyMaterial.copyOf(new byte[1]));
    keyring.add("logon", "two words", KeyMaterial.copyOf(new byte[1]));
    TargetException e = catchThrowableOfType(TargetException.class, () -> resolve(word));
    assertThat(e.reason()).isEqualTo(reason);
    assertThat(e.errno()).isEqualTo(errno);
  }

  @Test
  void readsRawBytesFromAFileAndStripsNothing(@TempDir Path dir) throws IOException {
    byte[] key = "0a\n\0".getBytes(StandardCharsets.US_ASCII);
    Path file = Files.write(dir.resolve("key"), key);
    assertThat(parse("@" + file).size()).isEqualTo(4);
    assertThat(resolve("@" + file)).isEqualTo(key);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void readsRawBytesFromADescriptor(@TempDir Path dir) throws IOException {
    Path file = Files.write(dir.resolve("key"), new byte[] {1, 2, 3});
    try (FileInputStream in = new FileInputStream(file.toFile())) {
      int fd = descriptorOf(file);
      assertThat(in.read()).isEqualTo(1);
      assertThat(resolve("@fd:" + fd)).containsExactly(1, 2, 3);
    }
    TargetException e = catchThrowableOfType(TargetException.class, () -> parse("@fd:99999"));
    assertThat(e.reason()).isEqualTo("Cannot parse key size");
  }

  private static int descriptorOf(Path file) throws IOException {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors) {
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).equals(file.toRealPath())) {
          return Integer.parseInt(descriptor.getFileName().toString());
        }
      }
    }
    throw new IOException("no descriptor of " + file);
  }

  @Test
  void refusesFilesWithoutAKey(@TempDir Path dir) throws IOException {
    Path empty = Files.createFile(dir.resolve("empty"));
    Path large = Files.write(dir.resolve("large"), new byte[KeyText.MAX_SIZE + 1]);
    for (String word : new String[] {"@" + empty, "@" + large, "@" + dir, "@" + dir + "/nosuch"}) {
      TargetException e = catchThrowableOfType(TargetException.class, () -> parse(word));
      assertThat(e.reason()).as(word).isEqualTo("Cannot parse key size");
    }
    TargetException e =
        catchThrowableOfType(TargetException.class, () -> parse("@" + dir + "/nosuch"));
    assertThat(e.errno()).isEqualTo(Errno.ENOENT);
    assertThat(resolve("@" + Files.write(large, new byte[KeyText.MAX_SIZE])))
        .hasSize(KeyText.MAX_SIZE);
  }

  private static KeyText parse(String word) throws TargetException {
    return KeyText.parse(word.getBytes(StandardCharsets.UTF_8));
  }

  private byte[] resolve(String word) throws TargetException {
    try (KeyText text = parse(word);
        KeyMaterial key = text.resolve(keyring)) {
      return key.exposeBytes();
    }
  }
}
