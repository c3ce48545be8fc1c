package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Tables drawn at random, against the slow reference that reproduces the kernel's own cases: both
 * directions, on every engine, in random requests. {@code -Djdm.random.tables=500
 * -Djdm.random.seed=1} draws more and others.
 */
final class RandomTablesTest {
  private static final long SEED = Long.getLong("jdm.random.seed", 20261130);
  private static final int TABLES = Integer.getInteger("jdm.random.tables", 40);

  private Reference reference;

  @BeforeEach
  void start() throws Exception {
    reference = Reference.startOrSkip();
  }

  @AfterEach
  void stop() throws Exception {
    if (reference != null) {
      reference.stop();
    }
  }

  @TestFactory
  Stream<DynamicTest> agreesWithTheReference() {
    return IntStream.range(0, TABLES)
        .mapToObj(i -> SEED + i)
        .map(
            seed -> {
              Draw draw = new Draw(new Random(seed));
              return dynamicTest(
                  draw.cipher + ", -Djdm.random.tables=1 -Djdm.random.seed=" + seed,
                  () -> compare(draw));
            });
  }

  private void compare(Draw draw) throws Exception {
    byte[] plaintext = draw.bytes(draw.length);
    byte[] encrypted = crypt(true, draw, plaintext);
    byte[] ciphertext = draw.bytes(draw.length);
    byte[] decrypted = crypt(false, draw, ciphertext);
    int engines = 0;
    for (String engine : CryptFixture.engines()) {
      long start = 512 * draw.first;
      long below = 512 * draw.offset + start;
      try (BlockDevice disk = MemoryDevice.ofSize(below + draw.length);
          CryptFixture crypt = CryptFixture.openIfPossible(draw.line(), disk, engine)) {
        if (crypt == null) {
          continue;
        }
        engines++;
        draw.forEachPiece(
            (at, piece) -> crypt.target().write(start + at, piece.put(plaintext, at), false));
        byte[] stored = new byte[draw.length];
        disk.read(below, ByteBuffer.wrap(stored));
        same(engine + " encrypts " + draw, stored, encrypted);
        disk.write(below, ByteBuffer.wrap(ciphertext));
        byte[] read = new byte[draw.length];
        draw.forEachPiece(
            (at, piece) -> {
              crypt.target().read(start + at, piece.buffer());
              piece.buffer().flip();
              piece.buffer().position(piece.margin()).get(read, at, piece.length());
            });
        same(engine + " decrypts " + draw, read, decrypted);
      }
    }
    assertThat(engines).as("engines that have %s", draw.cipher).isPositive();
  }

  private byte[] crypt(boolean encrypt, Draw draw, byte[] data) throws IOException {
    return reference.crypt(
        encrypt,
        draw.cipher,
        draw.key,
        draw.ivOffset,
        draw.sectorSize,
        draw.options.contains("iv_large_sectors"),
        draw.first,
        data);
  }

  private static void same(String what, byte[] found, byte[] expected) {
    assertThat(Arrays.mismatch(found, expected))
        .as("first byte that differs: %s", what)
        .isEqualTo(-1);
  }

  /** A part of a request: heap or direct, with a margin before it that must not matter. */
  private record Piece(ByteBuffer buffer, int margin, int length) {
    ByteBuffer put(byte[] data, int at) {
      return buffer.put(margin, data, at, length);
    }
  }

  @FunctionalInterface
  private interface PieceAction {
    void run(int at, Piece piece) throws IOException;
  }

  private static final class Draw {
    private final Random random;
    final String cipher;
    final byte[] key;
    final int sectorSize;
    final long ivOffset;
    final long offset;
    final long first;
    final int length;
    final List<String> options = new ArrayList<>();

    Draw(Random random) {
      this.random = random;
      Spec spec = drawSpec();
      cipher = spec.text;
      key = bytes(spec.keySize);
      sectorSize = spec.only512 ? 512 : oneOf(512, 512, 1024, 2048, 4096);
      long block = sectorSize / 512;
      ivOffset = block * oneOf(0L, 1L, number(20), 0xffffffffL / block - 3, number(49), 1L << 50);
      offset = block * number(16);
      first = block * oneOf(0L, number(20), 0xffffffffL / block - 3);
      length = sectorSize * (1 + random.nextInt(oneOf(8, 64, 64, 320 * 1024 / sectorSize)));
      for (String flag :
          List.of(
              "same_cpu_crypt",
              "high_priority",
              "submit_from_crypt_cpus",
              "no_read_workqueue",
              "no_write_workqueue",
              "allow_discards")) {
        if (random.nextInt(4) == 0) {
          options.add(flag);
        }
      }
      if (random.nextBoolean()) {
        options.add("iv_large_sectors");
      }
      if (sectorSize != 512 || random.nextBoolean()) {
        options.add("sector_size:" + sectorSize);
      }
      Collections.shuffle(options, random);
    }

    private long number(int bits) {
      return random.nextLong() >>> (Long.SIZE - bits);
    }

    @SafeVarargs
    private <T> T oneOf(T... choices) {
      return choices[random.nextInt(choices.length)];
    }

    byte[] bytes(int size) {
      byte[] bytes = new byte[size];
      random.nextBytes(bytes);
      return bytes;
    }

    private record Spec(String text, int keySize, boolean only512) {}

    private Spec drawSpec() {
      if (random.nextInt(12) == 0) {
        return drawAdiantum();
      }
      String block =
          oneOf(
              "aes",
              "aes",
              "aes",
              "serpent",
              "twofish",
              "camellia",
              "cast5",
              "blowfish",
              "des",
              "des3_ede");
      int keySize =
          switch (block) {
            case "cast5" -> 16;
            case "blowfish" -> 4 + random.nextInt(53);
            case "des" -> 8;
            case "des3_ede" -> 24;
            default -> oneOf(16, 24, 32);
          };
      boolean wide = !block.matches("cast5|blowfish|des.*");
      String mode = oneOf("xts", "cbc", "cbc", "lrw", "ctr", "cfb", "ofb", "pcbc", "ecb");
      if (!wide && mode.matches("xts|lrw")) {
        mode = "cbc";
      }
      if (mode.equals("ecb")) {
        return new Spec(
            random.nextBoolean() ? block + "-ecb" : "capi:ecb(" + block + ")", keySize, false);
      }
      int subKey = mode.equals("xts") ? 2 * keySize : mode.equals("lrw") ? keySize + 16 : keySize;
      String iv = drawIv(block, mode);
      if (iv.equals("plain") && mode.equals("cbc") && random.nextBoolean()) {
        return new Spec(oneOf(block, block + "-plain", block + "-cbc-plain"), keySize, false);
      }
      boolean capi = random.nextInt(3) == 0;
      int keyCount =
          iv.equals("lmk") ? (capi ? 64 : oneOf(1, 2, 64)) : capi ? 1 : oneOf(1, 1, 1, 2, 4, 16);
      if (iv.matches("eboiv|elephant")) {
        // Of several keys the kernel takes the first for the IV, the reference each.
        keyCount = 1;
      }
      int extra =
          switch (iv) {
            case "tcw" -> (wide ? 16 : 8) + 16;
            case "elephant" -> subKey;
            case "lmk" -> keyCount == 64 && random.nextBoolean() ? subKey : 0;
            default -> 0;
          };
      int total = keyCount * subKey + extra;
      String name = mode + "(" + block + ")";
      String text;
      if (!capi) {
        text = block + (keyCount > 1 ? ":" + keyCount : "") + "-" + mode + "-" + iv;
      } else if (iv.matches("essiv:\\w+") && random.nextBoolean()) {
        text = "capi:essiv(" + name + "," + iv.substring("essiv:".length()) + ")-plain64";
      } else {
        text = "capi:" + name + "-" + iv;
      }
      return new Spec(text, total, iv.matches("lmk|tcw"));
    }

    /** Without what the reference lacks: benbi over stream modes, lmk with 8-byte blocks. */
    private String drawIv(String block, String mode) {
      boolean stream = mode.matches("ctr|cfb|ofb");
      List<String> ivs = new ArrayList<>(List.of("plain", "plain64", "plain64be", "null"));
      if (!stream) {
        ivs.add("benbi");
      }
      switch (block) {
        case "aes", "twofish", "camellia", "serpent" ->
            ivs.add(oneOf("essiv:sha256", "essiv:md5", "essiv:sha3-256"));
        case "blowfish" -> ivs.add(oneOf("essiv:sha1", "essiv:sha384", "essiv:sha224"));
        case "cast5" -> ivs.add("essiv:md5");
        default -> {}
      }
      if (mode.equals("cbc")) {
        ivs.addAll(List.of("eboiv", "tcw"));
        if (block.equals("aes")) {
          ivs.addAll(List.of("elephant", "elephant", "lmk"));
        }
      }
      return ivs.get(random.nextInt(ivs.size()));
    }

    private Spec drawAdiantum() {
      String pair = oneOf("xchacha12", "xchacha20") + ",aes";
      String iv = oneOf("plain", "plain64", "plain64be", "null");
      int keyCount = oneOf(1, 1, 2);
      if (keyCount == 1 && random.nextBoolean()) {
        return new Spec("capi:adiantum(" + pair + ")-" + iv, 32, false);
      }
      return new Spec(
          pair + (keyCount > 1 ? ":" + keyCount : "") + "-adiantum-" + iv, 32 * keyCount, false);
    }

    String line() {
      return "0 "
          + (first + length / 512)
          + " crypt "
          + cipher
          + " "
          + HexFormat.of().formatHex(key)
          + " "
          + Long.toUnsignedString(ivOffset)
          + " DEV "
          + offset
          + (options.isEmpty() ? "" : " " + options.size() + " " + String.join(" ", options));
    }

    /** Cuts the data at random and goes through the pieces in random order. */
    void forEachPiece(PieceAction action) throws IOException {
      List<int[]> cuts = new ArrayList<>();
      int blocks = length / sectorSize;
      for (int at = 0; at < blocks; ) {
        int count = Math.min(blocks - at, 1 + random.nextInt(oneOf(2, 8, blocks)));
        cuts.add(new int[] {at * sectorSize, count * sectorSize});
        at += count;
      }
      Collections.shuffle(cuts, random);
      for (int[] cut : cuts) {
        int margin = random.nextInt(3);
        int size = margin + cut[1];
        ByteBuffer buffer =
            random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
        buffer.position(margin);
        action.run(cut[0], new Piece(buffer, margin, cut[1]));
      }
    }

    @Override
    public String toString() {
      return line();
    }
  }
}
