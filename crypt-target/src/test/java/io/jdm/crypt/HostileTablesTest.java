package io.jdm.crypt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import io.jdm.mapper.TableText;
import io.jdm.mapper.TargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the text of a table, a concise text or a message: it is done or refused with a checked
 * exception, and a refusal leaves nothing open. {@code -Djdm.fuzz=100000 -Djdm.random.seed=1} looks
 * longer and elsewhere.
 */
final class HostileTablesTest {
  private static final long SEED = Long.getLong("jdm.random.seed", 20261201);
  private static final int ROUNDS = Integer.getInteger("jdm.fuzz", 3000);
  private static final String K32 = CryptFixture.KEY.substring(0, 64);

  private static final List<String> TABLES =
      List.of(
          "0 2048 crypt aes-xts-plain64 " + CryptFixture.KEY + " 0 disk:a 0",
          "0 2048 crypt aes-xts-plain64 "
              + CryptFixture.KEY
              + " 8 disk:a 8 2 sector_size:4096"
              + " iv_large_sectors",
          "0 2048 crypt aes-cbc-essiv:sha256 " + K32 + " 0 disk:a 0 1 allow_discards",
          "0 2048 crypt capi:essiv(cbc(aes),sha256)-plain64 " + K32 + " 0 disk:a 0",
          "0 2048 crypt aes:4-cbc-plain64 " + CryptFixture.KEY + " 0 disk:a 0",
          "0 2048 crypt serpent:64-cbc-tcw 00 0 disk:a 0",
          "0 2048 crypt serpent:64-cbc-lmk " + K32 + " 0 disk:a 0",
          "0 2048 crypt cipher_null:64-ecb - 0 disk:a 0",
          "0 2048 crypt aes-cbc-elephant " + K32 + " 0 disk:a 0",
          "0 2048 crypt xchacha12,aes-adiantum-plain64 " + K32 + " 0 disk:a 0",
          "0 2048 crypt aes-xts-plain64 :64:logon:jdm:key 0 disk:a 0 1 integrity:16:none",
          "0 1024 linear disk:a 0\n1024 1024 striped 2 8 disk:a 0 disk:b 512",
          "0 8 zero\n8 8 error\n16 8 delay disk:a 0 0 disk:b 0 0",
          "0 64 flakey disk:a 0 1 1 5 corrupt_bio_byte 1 r 0 0",
          "0 64 dust disk:a 0 512");

  private static final List<String> NASTY =
      List.of(
          "0",
          "1",
          "-1",
          "+1",
          "00",
          "0x10",
          "1e3",
          "1.",
          "7",
          "63",
          "64",
          "128",
          "4095",
          "4096",
          "2147483647",
          "2147483648",
          "4294967295",
          "4294967296",
          "1073741824",
          "536870912",
          "9007199254740991",
          "18014398509481983",
          "9223372036854775807",
          "9223372036854775808",
          "18446744073709551615",
          "18446744073709551616",
          "99999999999999999999999999999",
          "",
          " ",
          "\t",
          "\n",
          "\0",
          "\\",
          "\\ ",
          "#",
          ";",
          ",",
          ":",
          "::",
          "-",
          "--",
          "(",
          ")",
          "()",
          "capi:",
          "capi:(",
          "capi:()-",
          "capi:essiv(,)-x",
          "capi:essiv(cbc(aes),)-plain64",
          "capi:essiv(,sha256)-plain64",
          "capi:cbc(aes)",
          "capi:cbc(aes)-",
          "capi:cbc(aes)-essiv",
          "capi:cbc(aes)-essiv:",
          "capi:-:",
          "capi:cbc(aes)-lmk",
          "aes",
          "aes-",
          "aes:",
          "aes:-",
          "aes--",
          "aes:1-",
          "aes-cbc-essiv:",
          "aes-ecb-plain64",
          "aes-ecb",
          "aes-plain",
          "serpent:64-cbc-tcw",
          "serpent:1073741824-cbc-plain64",
          "cipher_null:1073741824-ecb",
          "blowfish-cbc-lmk",
          "aes-xts-random",
          "aes-cbc-benbi",
          ",-adiantum-plain64",
          ",aes-adiantum-plain64",
          "xchacha12,-adiantum-plain64",
          "aes-gcm-plain64",
          ":0:logon:x",
          ":-1:logon:x",
          ":64:",
          ":64:logon:",
          ":64::x",
          ":64:bogus:x",
          ":64",
          ":",
          ":99999999999:logon:x",
          "@",
          "@/",
          "@/nonexistent",
          "@fd:99",
          "@fd:",
          "@/dev/zero",
          "é",
          "\u0663",
          "\ud83d\ude00",
          "ÿ",
          "sector_size:",
          "sector_size:0",
          "sector_size:-512",
          "sector_size:4294967808",
          "integrity::",
          "integrity:16:",
          "integrity:99999999999:aead",
          "integrity_key_size:4294967296",
          "253:0",
          "253:1",
          "253:999999999",
          "4096:0",
          "mem:",
          "mem:-1",
          "mem:99999999999999999999",
          "mem:8E",
          "mem:1",
          "file:",
          "file:/",
          "bogus:x",
          "disk:nosuch",
          "disk:b",
          "mapper:",
          "mapper:x",
          "/dev/mapper/x",
          "/dev/null",
          "\0/x");

  private final Random random = new Random(SEED);
  private final Disks disks = new Disks();
  private final DeviceMapper mapper;

  HostileTablesTest() {
    disks.add("a", 2 << 20);
    disks.add("b", 2 << 20);
    mapper = DeviceMapper.builder().deviceScheme(disks).build();
  }

  @AfterEach
  void close() {
    mapper.close();
    assertThat(disks.open()).isZero();
  }

  @Test
  void aTableIsLoadedOrRefused() {
    for (int i = 0; i < ROUNDS; i++) {
      byte[] table = mutate(oneOf(TABLES));
      Throwable refusal = catchThrowable(() -> create(table));
      checked(refusal, "table", i, table);
      mapper.removeAll(false);
      assertThat(disks.open()).as("open after %s", show(table)).isZero();
    }
  }

  private void create(byte[] table) throws MapperException {
    try (TableText text = TableText.parse(table, "")) {
      mapper.create(DeviceDefinition.of("x", text));
    }
    DeviceId id = DeviceId.named("x");
    // What is accepted is printed so that it is accepted again.
    String echo =
        mapper.table(id, Slot.LIVE, true).stream()
            .map(line -> line.toString())
            .collect(Collectors.joining("\n"));
    try (TableText text = TableText.parse(echo.getBytes(UTF_8), "")) {
      mapper.load(id, text, false);
    }
  }

  @Test
  void aConciseTextIsParsedOrRefused() {
    for (int i = 0; i < ROUNDS; i++) {
      String text =
          oneOf(List.of("x", "", "\\", "é", "y".repeat(128)))
              + ","
              + oneOf(List.of("", "uuid", "u".repeat(129)))
              + ","
              + oneOf(List.of("", "1", "-1", "1048576", "4294967296"))
              + ","
              + oneOf(List.of("", "ro", "rw", "RW", "ro "))
              + ","
              + oneOf(TABLES).replace("\n", ",").replace("xchacha12,", "xchacha12\\,")
              + oneOf(List.of("", ";", "\\", ";y,,,,0 8 zero"));
      byte[] concise = mutate(text);
      Throwable refusal =
          catchThrowable(
              () -> {
                for (DeviceDefinition definition : DeviceDefinition.parseConcise(concise)) {
                  try (definition) {
                    mapper.create(definition);
                  }
                }
              });
      checked(refusal, "concise text", i, concise);
      mapper.removeAll(false);
      assertThat(disks.open()).as("open after %s", show(concise)).isZero();
    }
  }

  @Test
  void aMessageIsAnsweredOrRefused() throws MapperException {
    DeviceId id = DeviceId.named("c");
    for (int i = 0; i < ROUNDS; i++) {
      if (mapper.list().isEmpty()) {
        try (TableText text = TableText.parse(TABLES.get(random.nextInt(3)))) {
          mapper.create(DeviceDefinition.of("c", text));
        }
        mapper.suspend(id);
      }
      byte[] message =
          mutate(
              oneOf(
                  List.of(
                      "key set " + CryptFixture.KEY,
                      "key set " + K32,
                      "key set :64:logon:jdm:key",
                      "key wipe",
                      "@cancel_deferred_remove",
                      "@stats_create - 8")));
      Throwable refusal =
          catchThrowable(
              () -> {
                try (Arguments words = Arguments.split(message)) {
                  mapper.message(id, 0, words);
                }
              });
      checked(refusal, "message", i, message);
      if (random.nextInt(20) == 0) {
        mapper.removeAll(false);
      }
    }
  }

  @Test
  void textsOfTenMegabytesAreRefusedOrDone() {
    String long10 = "a".repeat(10 << 20);
    List<String> tables = new ArrayList<>();
    for (int field = 0; field < 8; field++) {
      String[] words = TABLES.get(0).split(" ");
      words[field] = long10;
      tables.add(String.join(" ", words));
    }
    tables.add(TABLES.get(0) + " ".repeat(10 << 20));
    tables.add(TABLES.get(0) + " 0" + " a".repeat(5 << 20));
    tables.add("#" + long10 + "\n" + TABLES.get(0));
    tables.add("0 2048 crypt aes-xts-plain64 " + CryptFixture.KEY + " 0 @" + long10 + " 0");
    tables.add("0 2048 crypt capi:" + "(".repeat(10 << 20) + " - 0 disk:a 0");
    tables.add("0 2048 crypt capi:" + "essiv(".repeat(1 << 20) + ",)-x:y - 0 disk:a 0");
    for (String table : tables) {
      Throwable refusal = catchThrowable(() -> create(table.getBytes(UTF_8)));
      checked(refusal, "table", tables.indexOf(table), table.substring(0, 100).getBytes(UTF_8));
      if (refusal != null) {
        assertThat(refusal.getMessage()).as("no echo of the whole text").hasSizeLessThan(100_000);
      }
      mapper.removeAll(false);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cipher_null:1073741824-ecb -",
        "serpent:1073741824-cbc-plain64 -",
        "serpent:65536-cbc-plain64 00",
        "serpent:8192-ecb 00"
      })
  void moreKeysThanMemoryHoldsAreRefused(String cipherAndKey) {
    TargetException e =
        catchThrowableOfType(
            TargetException.class,
            () ->
                CryptFixture.open("0 8 crypt " + cipherAndKey + " 0 DEV 0", disks.add("c", 1 << 20))
                    .close());
    assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
    assertThat(e.reason()).isEqualTo("Error allocating crypto tfm");
  }

  /** All sub-keys of a table that is taken fit in a small heap: the buffers are shared. */
  @Test
  void theMostKeysThatAreTaken() throws Exception {
    try (CryptFixture crypt =
        CryptFixture.open(
            "0 2048 crypt aes:4096-cbc-plain64 "
                + "00112233445566778899aabbccddeeff".repeat(4096)
                + " 0 DEV 0",
            disks.add("c", 1 << 20))) {
      byte[] data = new byte[1 << 20];
      random.nextBytes(data);
      crypt.write(0, data);
      assertThat(crypt.read(0, data.length)).isEqualTo(data);
    }
  }

  @Test
  void aKeyThatIsShorterThanTheIvModesPartIsRefused() {
    for (String key : List.of("-", "00", "00".repeat(31))) {
      TargetException e =
          catchThrowableOfType(
              TargetException.class,
              () ->
                  CryptFixture.open(
                          "0 8 crypt serpent:64-cbc-tcw " + key + " 0 DEV 0",
                          disks.add("c", 1 << 20))
                      .close());
      assertThat(e.reason()).isEqualTo("Error decoding and setting key");
    }
  }

  private static void checked(Throwable refusal, String what, int round, byte[] text) {
    if (refusal != null) {
      assertThat(refusal)
          .as("%s %d of seed %d: %s", what, round, SEED, show(text))
          .isInstanceOf(MapperException.class);
      MapperException e = (MapperException) refusal;
      assertThat(e.toolMessage()).isNotEmpty();
      assertThat(e.getMessage()).as(show(text)).isNotEmpty();
    }
  }

  private static String show(byte[] text) {
    return Arrays.toString(text).length() > 4000 ? text.length + " bytes" : new String(text, UTF_8);
  }

  private byte[] mutate(String text) {
    byte[] mutated = text.getBytes(UTF_8);
    for (int i = random.nextInt(4); i >= 0; i--) {
      mutated =
          switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> replaceWord(mutated);
            case 4 -> flip(mutated);
            case 5 -> insert(mutated);
            case 6 -> cut(mutated);
            default -> replacePart(mutated);
          };
    }
    return mutated;
  }

  private byte[] replaceWord(byte[] text) {
    String[] words = new String(text, ISO_8859_1).split("(?<=[ ,;\n])|(?=[ ,;\n])");
    words[random.nextInt(words.length)] = new String(oneOf(NASTY).getBytes(UTF_8), ISO_8859_1);
    return String.join("", words).getBytes(ISO_8859_1);
  }

  /** A part of a word: between colons, hyphens and parentheses. */
  private byte[] replacePart(byte[] text) {
    String[] words = new String(text, ISO_8859_1).split("(?<=[ :,()-])|(?=[ :,()-])");
    words[random.nextInt(words.length)] = new String(oneOf(NASTY).getBytes(UTF_8), ISO_8859_1);
    return String.join("", words).getBytes(ISO_8859_1);
  }

  private byte[] flip(byte[] text) {
    if (text.length > 0) {
      text[random.nextInt(text.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return text;
  }

  private byte[] insert(byte[] text) {
    int at = random.nextInt(text.length + 1);
    byte[] inserted = Arrays.copyOf(text, text.length + 1);
    System.arraycopy(text, at, inserted, at + 1, text.length - at);
    inserted[at] = (byte) random.nextInt(256);
    return inserted;
  }

  private byte[] cut(byte[] text) {
    int from = random.nextInt(text.length + 1);
    int to = from + random.nextInt(text.length + 1 - from);
    byte[] rest = Arrays.copyOf(text, from + text.length - to);
    System.arraycopy(text, to, rest, from, text.length - to);
    return rest;
  }

  private <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  @Test
  void theTablesThatAreMutatedAreGood() throws MapperException {
    for (String table : TABLES) {
      if (table.contains("tcw") || table.contains(":logon:")) {
        continue;
      }
      try (TableText text = TableText.parse(table)) {
        DeviceInfo info = mapper.create(DeviceDefinition.of("x", text));
        assertThat(info.live()).isTrue();
      }
      mapper.removeAll(false);
    }
  }
}
