package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.layer.CountingDevice;
import io.jdm.blockdev.layer.Operation;
import io.jdm.blockdev.layer.ReadOnlyDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.crypt.key.Keyring;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CryptTargetTest {
  private static final String KEY = CryptFixture.KEY;
  private static final String OTHER_KEY = "f".repeat(64) + KEY.substring(64);
  private static final String TABLE = "0 2048 crypt aes-xts-plain64 " + KEY + " 0 DEV 0";
  private static final int MIB = 1 << 20;

  private final MemoryDevice disk = MemoryDevice.ofSize(2 * MIB, 512);
  private final Random random = new Random(7);

  // Its table.

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 allow_discards                                          | 1 allow_discards
          1 ALLOW_Discards                                          | 1 allow_discards
          1 allow_discards 0                                        | 1 allow_discards
          0                                                         | ''
          0 allow_discards                                          | ''
          1 sector_size:512                                         | ''
          2 allow_discards allow_discards                           | 1 allow_discards
          2 iv_large_sectors sector_size:4096                       | 2 sector_size:4096 iv_large_sectors
          1 iv_large_sectors                                        | 1 iv_large_sectors
          1 integrity:16:NONE                                       | 1 integrity:16:NONE
          1 integrity_key_size:32                                   | 1 integrity_key_size:32
          9 integrity_key_size:1 iv_large_sectors sector_size:1024 no_write_workqueue no_read_workqueue submit_from_crypt_cpus high_priority same_cpu_crypt allow_discards | 9 allow_discards same_cpu_crypt high_priority submit_from_crypt_cpus no_read_workqueue no_write_workqueue sector_size:1024 iv_large_sectors integrity_key_size:1
          """)
  void printsOptionsInTheKernelsOrder(String given, String printed) throws TargetException {
    try (CryptFixture crypt = CryptFixture.open(TABLE + " " + given, disk)) {
      assertThat(crypt.target().table(true))
          .isEqualTo(("aes-xts-plain64 " + KEY + " 0 DEV 0 " + printed).trim());
    }
  }

  @Test
  void showsKeysInLowerCaseAndOnlyWhenAsked() throws TargetException {
    String table = TABLE.replace(KEY, KEY.toUpperCase(Locale.ROOT));
    try (CryptFixture crypt = CryptFixture.open(table, disk)) {
      assertThat(crypt.target().table(true)).isEqualTo("aes-xts-plain64 " + KEY + " 0 DEV 0");
      assertThat(crypt.target().table(false))
          .isEqualTo("aes-xts-plain64 " + "0".repeat(128) + " 0 DEV 0");
      assertThat(crypt.target().status()).isEmpty();
    }
    try (CryptFixture crypt = CryptFixture.open("0 8 crypt cipher_null-ecb - 0 DEV 0", disk)) {
      assertThat(crypt.target().table(true)).isEqualTo("cipher_null-ecb - 0 DEV 0");
      assertThat(crypt.target().table(false)).isEqualTo("cipher_null-ecb 0 0 DEV 0");
    }
  }

  @Test
  void neverHidesTheNameOfAKeyInTheKeyring() throws IOException {
    try (Keyring keyring = new Keyring();
        CryptFixture crypt = openWithKeyring(keyring)) {
      assertThat(crypt.target().table(false))
          .isEqualTo(crypt.target().table(true))
          .isEqualTo("aes-xts-plain64 :64:logon:jdm:test 0 DEV 0");
    }
  }

  @Test
  void ivOffsetHas64Bits() throws IOException {
    String table = TABLE.replace(" 0 DEV", " 18446744073709551615 DEV");
    byte[] data = randomBytes(1024);
    try (CryptFixture crypt = CryptFixture.open(table, disk)) {
      assertThat(crypt.target().table(true)).contains(" 18446744073709551615 DEV");
      crypt.write(0, data);
    }
    byte[] wrapped = below(512, 512);
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      crypt.write(0, Arrays.copyOfRange(data, 512, 1024));
    }
    assertThat(below(0, 512)).as("sector 0 after the wrap").isEqualTo(wrapped);
  }

  private CryptFixture openWithKeyring(Keyring keyring) throws TargetException {
    keyring.add("logon", "jdm:test", KeyMaterial.moveFrom(HexFormat.of().parseHex(KEY)));
    return CryptFixture.open(TABLE.replace(KEY, ":64:logon:jdm:test"), disk, null, keyring);
  }

  // What it asks of requests, and passes down.

  @Test
  void limitsAreRaisedToTheSectorSize() throws TargetException {
    for (int size : new int[] {512, 1024, 2048, 4096}) {
      try (CryptFixture crypt = CryptFixture.open(TABLE + " 1 sector_size:" + size, disk)) {
        assertThat(crypt.target().limits().logicalBlockSize()).isEqualTo(size);
      }
    }
    try (BlockDevice blocks = MemoryDevice.ofSize(MIB, 4096);
        CryptFixture crypt = CryptFixture.open(TABLE, blocks)) {
      assertThat(crypt.target().limits().logicalBlockSize()).isEqualTo(4096);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void discardsAreForThoseWhoAllowThem() throws IOException {
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      assertThat(crypt.target().supportsDiscard()).isFalse();
    }
    String table = TABLE.replace(" DEV 0", " DEV 8") + " 1 allow_discards";
    try (CryptFixture crypt = CryptFixture.open(table, disk)) {
      assertThat(crypt.target().supportsDiscard()).isTrue();
      crypt.write(0, randomBytes(8192));
      crypt.target().discard(4096, 4096);
      assertThat(below(4096, 4096)).isNotEqualTo(new byte[4096]);
      assertThat(below(8192, 4096)).isEqualTo(new byte[4096]);
    }
    try (CryptFixture crypt = CryptFixture.open(table, ReadOnlyDevice.of(disk))) {
      assertThat(crypt.target().supportsDiscard()).as("below cannot").isFalse();
    }
  }

  @Test
  void flushAndFuaPassDownOnce() throws IOException {
    CountingDevice counting = CountingDevice.of(disk);
    try (CryptFixture crypt = CryptFixture.open(TABLE, counting)) {
      crypt.target().flush();
      assertThat(counting.requests(Operation.FLUSH)).isEqualTo(1);
      crypt.target().write(0, ByteBuffer.allocate(4096), true);
      assertThat(counting.requests(Operation.WRITE_FUA)).isEqualTo(1);
      crypt.target().write(0, ByteBuffer.allocate(MIB), true);
      assertThat(counting.requests(Operation.FLUSH)).as("for all pieces together").isEqualTo(2);
      assertThat(counting.bytes(Operation.WRITE)).isEqualTo(MIB);
    }
  }

  @Test
  void writesLeaveTheSourceAloneAndReadsFillTheDestinationOnly() throws IOException {
    byte[] data = randomBytes(MIB);
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      for (int length : new int[] {512, 4096, 128 << 10, 256 << 10, MIB - 512}) {
        for (boolean direct : new boolean[] {false, true}) {
          ByteBuffer src = direct ? ByteBuffer.allocateDirect(MIB) : ByteBuffer.allocate(MIB);
          src.put(0, data).position(3).limit(3 + length);
          crypt.target().write(0, src.asReadOnlyBuffer(), false);
          crypt.target().write(0, src, false);
          assertThat(src.position()).isEqualTo(3 + length);
          src.clear();
          assertThat(src.compareTo(ByteBuffer.wrap(data))).isZero();

          ByteBuffer dst = direct ? ByteBuffer.allocateDirect(MIB) : ByteBuffer.allocate(MIB);
          dst.position(5).limit(5 + length);
          crypt.target().read(0, dst);
          assertThat(dst.position()).isEqualTo(5 + length);
          byte[] expected = new byte[MIB];
          System.arraycopy(data, 3, expected, 5, length);
          dst.clear();
          assertThat(dst.compareTo(ByteBuffer.wrap(expected))).isZero();
        }
      }
    }
  }

  // Its messages.

  @ParameterizedTest
  @ValueSource(strings = {"key wipe", "key set 00", "key xyz", "KEY Wipe"})
  void keysAreOnlyTouchedWhileSuspended(String message) throws TargetException {
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      assertRefused(crypt, message, "not suspended during key manipulation.");
      crypt.target().postsuspend();
      crypt.target().resume();
      assertRefused(crypt, message, "not suspended during key manipulation.");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "key",
        "bogus",
        "bogus wipe",
        "key xyz",
        "key wipe now",
        "key set",
        "key set 0 0"
      })
  void otherMessagesAreUnknown(String message) throws TargetException {
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      crypt.target().postsuspend();
      assertRefused(crypt, message, "unrecognised message received.");
    }
  }

  @Test
  void aWipedKeyIsGoneUntilAnotherIsSet() throws IOException {
    byte[] data = randomBytes(4096);
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      crypt.write(0, data);
      crypt.target().postsuspend();
      crypt.message("key wipe");
      assertThat(crypt.target().table(true))
          .isEqualTo("aes-xts-plain64 " + "0".repeat(128) + " 0 DEV 0");
      TargetException refusal =
          catchThrowableOfType(TargetException.class, () -> crypt.target().preresume());
      assertThat(refusal.reason()).isEqualTo("aborting resume - crypt key is not set.");
      assertThat(refusal.errno()).isEqualTo(Errno.EAGAIN);
      DeviceException failure =
          catchThrowableOfType(DeviceException.class, () -> crypt.read(0, 512));
      assertThat(failure.errno()).isEqualTo(Errno.EIO);
      assertThat(failure).hasMessageContaining("wiped").hasMessageEndingWith("is wiped");

      crypt.message("key set " + KEY);
      crypt.target().preresume();
      crypt.target().resume();
      assertThat(crypt.target().table(true)).contains(KEY);
      assertThat(crypt.read(0, 4096)).isEqualTo(data);
    }
  }

  @Test
  void anotherKeyDecryptsToSomethingElse() throws IOException {
    byte[] data = randomBytes(4096);
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      crypt.write(0, data);
      crypt.target().postsuspend();
      crypt.message("KEY Set " + OTHER_KEY);
      crypt.target().preresume();
      crypt.target().resume();
      assertThat(crypt.target().table(true)).contains(OTHER_KEY);
      assertThat(crypt.read(0, 4096)).isNotEqualTo(data);
    }
  }

  @Test
  void aKeyOfAnotherSizeIsRefusedAndChangesNothing() throws IOException {
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      crypt.target().postsuspend();
      for (String key :
          new String[] {"0011", "zz", "-", KEY + "00", ":32:logon:k", ":x", "@/nosuch"}) {
        assertRefused(crypt, "key set " + key, "");
      }
      crypt.target().preresume();
      assertThat(crypt.target().table(true)).contains(KEY);
    }
  }

  @Test
  void whatIsNoKeyButOfTheRightSizeLeavesNoKeyBehind() throws IOException {
    try (CryptFixture crypt = CryptFixture.open(TABLE, disk)) {
      crypt.target().postsuspend();
      assertRefused(crypt, "key set x" + KEY.substring(1), "");
      assertThat(catchThrowableOfType(TargetException.class, () -> crypt.target().preresume()))
          .isNotNull();
    }
  }

  @Test
  void keysComeFromTheKeyringByMessageToo() throws IOException {
    byte[] data = randomBytes(4096);
    try (Keyring keyring = new Keyring();
        CryptFixture crypt = openWithKeyring(keyring)) {
      crypt.write(0, data);
      crypt.target().postsuspend();
      assertRefused(crypt, "key set :64:logon:nosuch", "", Errno.ENOKEY);
      crypt.target().preresume();
      crypt.message("key wipe");
      assertThat(crypt.target().table(false))
          .isEqualTo("aes-xts-plain64 " + "0".repeat(128) + " 0 DEV 0");
      crypt.message("key set :64:logon:jdm:test");
      assertThat(crypt.target().table(false)).contains(":64:logon:jdm:test");
      crypt.target().preresume();
      crypt.target().resume();
      assertThat(crypt.read(0, 4096)).isEqualTo(data);
    }
  }

  private static void assertRefused(CryptFixture crypt, String message, String reason) {
    assertRefused(crypt, message, reason, null);
  }

  private static void assertRefused(
      CryptFixture crypt, String message, String reason, Errno errno) {
    TargetException e = catchThrowableOfType(TargetException.class, () -> crypt.message(message));
    assertThat(e).as(message).isNotNull();
    assertThat(e.reason()).as(message).isEqualTo(reason);
    assertThat(e.getMessage()).doesNotContain(KEY.substring(0, 16));
    if (errno != null) {
      assertThat(e.errno()).isEqualTo(errno);
    } else {
      assertThat(e.errno()).isIn(Errno.EINVAL, Errno.ENOENT);
    }
  }

  private byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] below(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    disk.read(offset, ByteBuffer.wrap(bytes));
    return bytes;
  }
}
