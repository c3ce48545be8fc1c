package io.jdm.crypt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.testing.Requirement;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every engine owes, run on every algorithm that it supports: the known answers, the results
 * of {@link LiteralModes}, and the manners that {@link SectorCipher} and {@link BlockCipher}
 * promise.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EngineContract {
  private static final int GUARD = 64;
  private static final byte GUARD_BYTE = 0x5a;

  private final Engine engine;

  EngineContract(Engine engine) {
    this.engine = engine;
  }

  @BeforeAll
  void isAvailable() {
    if (!engine.availability().available()) {
      Requirement.missing("engine " + engine + " (" + engine.availability().reason() + ")");
    }
  }

  /** Every cipher in every mode with its smallest, largest and common key sizes, one in 4 KiB. */
  Stream<SectorAlgorithm> algorithms() {
    Stream<String> ciphers =
        Stream.concat(
            Ciphers.names().stream(),
            Stream.of("xchacha12,aes", "xchacha20,aes", "xchacha12,serpent"));
    return ciphers
        .flatMap(
            cipher ->
                Ciphers.modes().stream()
                    .filter(mode -> Ciphers.valid(cipher, mode))
                    .flatMap(mode -> sizes(cipher, mode)))
        .filter(engine::supports);
  }

  private static Stream<SectorAlgorithm> sizes(String cipher, String mode) {
    int[] keys =
        IntStream.rangeClosed(0, 80)
            .filter(size -> Ciphers.validKeySize(cipher, mode, size))
            .toArray();
    IntStream some =
        keys.length <= 3
            ? Arrays.stream(keys)
            : IntStream.of(keys[0], keys[1], keys[keys.length / 2], keys[keys.length - 1]);
    return some.boxed()
        .flatMap(
            key ->
                (key == keys[0] ? IntStream.of(512, 4096) : IntStream.of(512))
                    .mapToObj(sector -> new SectorAlgorithm(cipher, mode, key, sector)));
  }

  /** One algorithm of each cipher and each mode: what depends on neither is tested on these. */
  Stream<SectorAlgorithm> someAlgorithms() {
    List<String> ciphers = new ArrayList<>();
    List<String> modes = new ArrayList<>();
    return algorithms()
        .filter(
            algorithm -> {
              boolean news =
                  !ciphers.contains(algorithm.cipher()) || !modes.contains(algorithm.mode());
              ciphers.add(algorithm.cipher());
              modes.add(algorithm.mode());
              return news;
            });
  }

  Stream<KnownAnswer> knownAnswers() {
    return KnownAnswer.all().stream().filter(answer -> engine.supports(answer.algorithm(512)));
  }

  @ParameterizedTest
  @MethodSource("knownAnswers")
  void givesTheKnownAnswer(KnownAnswer answer) throws IOException {
    for (int sectorSize : new int[] {512, 1024, 2048, 4096}) {
      SectorAlgorithm algorithm = answer.algorithm(sectorSize);
      Work work = new Work(algorithm, answer.key(), 3, new Random(1));
      for (int i = 0; i < 3; i++) {
        put(work.plain, i * algorithm.sectorSize(), answer.plaintext());
        put(work.ivs, i * answer.iv().length, answer.iv());
      }
      byte[] encrypted = work.encrypt();
      for (int i = 0; i < 3; i++) {
        int at = i * algorithm.sectorSize();
        byte[] expected = answer.ciphertext();
        assertThat(Arrays.copyOfRange(encrypted, at, at + expected.length))
            .as("sector %d", i)
            .isEqualTo(expected);
      }
      assertThat(work.decrypt(encrypted)).isEqualTo(work.plain);
    }
  }

  Stream<ReferenceAnswer> referenceAnswers() {
    return ReferenceAnswer.all().stream().filter(answer -> engine.supports(answer.algorithm()));
  }

  @ParameterizedTest
  @MethodSource("referenceAnswers")
  void givesTheAnswerOfAnIndependentImplementation(ReferenceAnswer answer) throws Exception {
    Work work = new Work(answer.algorithm(), answer.key(), answer.sectors(), new Random(1));
    put(work.plain, 0, answer.plaintext());
    put(work.ivs, 0, answer.ivs());
    byte[] encrypted = work.encrypt();
    assertThat(sha256(encrypted)).isEqualTo(answer.ciphertextSha256());
    assertThat(work.decrypt(encrypted)).isEqualTo(work.plain);
  }

  private static String sha256(byte[] data) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void doesWhatTheSpecificationSays(SectorAlgorithm algorithm) throws IOException {
    Random random = new Random(algorithm.hashCode());
    byte[] key = randomBytes(random, algorithm.keySize());
    Work work = new Work(algorithm, key, algorithm.sectorSize() == 512 ? 4 : 1, random);
    byte[] encrypted = work.encrypt();
    if (algorithm.cipher().equals("cipher_null")) {
      assertThat(encrypted).isEqualTo(work.plain);
      return;
    }
    LiteralModes literal = new LiteralModes(algorithm, key);
    int size = algorithm.sectorSize();
    int ivSize = Ciphers.ivSize(algorithm.cipher(), algorithm.mode());
    for (int i = 0; i < work.sectors; i++) {
      byte[] iv = Arrays.copyOfRange(work.ivs, i * ivSize, (i + 1) * ivSize);
      byte[] plain = Arrays.copyOfRange(work.plain, i * size, (i + 1) * size);
      assertThat(Arrays.copyOfRange(encrypted, i * size, (i + 1) * size))
          .as("sector %d of %s", i, algorithm)
          .isEqualTo(literal.encrypt(iv, plain));
    }
    assertThat(work.decrypt(encrypted)).as("decrypted").isEqualTo(work.plain);
  }

  @ParameterizedTest
  @MethodSource("someAlgorithms")
  void splitsAndBuffersDoNotMatter(SectorAlgorithm algorithm) throws IOException {
    Random random = new Random(algorithm.hashCode());
    byte[] key = randomBytes(random, algorithm.keySize());
    int sectors = algorithm.sectorSize() == 512 ? 150 : 19;
    Work work = new Work(algorithm, key, sectors, random);
    byte[] encrypted = work.encrypt();
    try (KeyMaterial material = KeyMaterial.copyOf(key);
        SectorCipher cipher = engine.sectorCipher(algorithm, material)) {
      for (int round = 0; round < 24; round++) {
        boolean encrypt = random.nextBoolean();
        Buffers buffers = new Buffers(work.plain.length, random);
        byte[] from = encrypt ? work.plain : encrypted;
        buffers.src.put(buffers.srcIndex, from);
        for (int sector = 0; sector < sectors; ) {
          int n = Math.min(1 + random.nextInt(1 << random.nextInt(8)), sectors - sector);
          transform(cipher, encrypt, work, buffers, sector, n);
          sector += n;
        }
        String what = "round " + round + " " + buffers;
        assertThat(buffers.result()).as(what).isEqualTo(encrypt ? encrypted : work.plain);
        buffers.assertUntouched(what, from);
      }
    }
  }

  private void transform(
      SectorCipher cipher, boolean encrypt, Work work, Buffers buffers, int sector, int count)
      throws IOException {
    int size = work.algorithm.sectorSize();
    int ivSize = Ciphers.ivSize(work.algorithm.cipher(), work.algorithm.mode());
    byte[] ivs = Arrays.copyOfRange(work.ivs, sector * ivSize, (sector + count) * ivSize);
    byte[] before = ivs.clone();
    int at = sector * size;
    int from = buffers.srcIndex + at;
    int to = buffers.dstIndex + at;
    if (encrypt) {
      cipher.encrypt(ivs, buffers.src, from, buffers.dst, to, count * size);
    } else {
      cipher.decrypt(ivs, buffers.src, from, buffers.dst, to, count * size);
    }
    assertThat(ivs).as("IVs are not changed").isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("someAlgorithms")
  void requestsAllocateNothing(SectorAlgorithm algorithm) throws IOException {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    assumeTrue(threads.isThreadAllocatedMemorySupported());
    Random random = new Random(algorithm.hashCode());
    int sectors = 65536 / algorithm.sectorSize();
    Work work = new Work(algorithm, randomBytes(random, algorithm.keySize()), sectors, random);
    ByteBuffer heap = ByteBuffer.wrap(work.plain.clone());
    ByteBuffer direct = ByteBuffer.allocateDirect(work.plain.length);
    try (KeyMaterial material = KeyMaterial.copyOf(work.key);
        SectorCipher cipher = engine.sectorCipher(algorithm, material)) {
      long allowed = libraryAllocates(algorithm) ? Long.MAX_VALUE : 0;
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 12 && least > allowed; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int length = algorithm.sectorSize(); length <= 65536; length *= 4) {
          cipher.encrypt(work.ivs, heap, 0, heap, 0, length);
          cipher.decrypt(work.ivs, heap, 0, heap, 0, length);
          cipher.encrypt(work.ivs, direct, 0, direct, 0, length);
          cipher.decrypt(work.ivs, direct, 0, direct, 0, length);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(least).as("bytes allocated by some round").isLessThanOrEqualTo(allowed);
    }
  }

  /** Whether the library below allocates for every block, which is not ours to avoid. */
  boolean libraryAllocates(SectorAlgorithm algorithm) {
    return false;
  }

  @ParameterizedTest
  @MethodSource("someAlgorithms")
  void threadsWithACipherEachDoNotDisturbEachOther(SectorAlgorithm algorithm) throws Exception {
    Random random = new Random(algorithm.hashCode());
    int sectors = algorithm.sectorSize() == 512 ? 33 : 5;
    Work work = new Work(algorithm, randomBytes(random, algorithm.keySize()), sectors, random);
    byte[] encrypted = work.encrypt();
    Callable<Void> storm =
        () -> {
          for (int i = 0; i < 5; i++) {
            assertThat(work.encrypt()).isEqualTo(encrypted);
            assertThat(work.decrypt(encrypted)).isEqualTo(work.plain);
          }
          return null;
        };
    ExecutorService executor = Executors.newFixedThreadPool(4);
    try {
      for (Future<Void> result : executor.invokeAll(List.of(storm, storm, storm, storm))) {
        result.get();
      }
    } finally {
      executor.shutdown();
    }
  }

  @ParameterizedTest
  @MethodSource("someAlgorithms")
  void theKeyStaysTheCallersAndClosingTwiceIsNoHarm(SectorAlgorithm algorithm) throws IOException {
    byte[] bytes = randomBytes(new Random(5), algorithm.keySize());
    try (KeyMaterial key = KeyMaterial.copyOf(bytes)) {
      SectorCipher cipher = engine.sectorCipher(algorithm, key);
      cipher.close();
      cipher.close();
      assertThat(key.exposeBytes()).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @MethodSource("someAlgorithms")
  void aKeyOfAnotherSizeIsRefused(SectorAlgorithm algorithm) {
    SectorAlgorithm other =
        new SectorAlgorithm(algorithm.cipher(), algorithm.mode(), 999, algorithm.sectorSize());
    assertThat(engine.supports(other)).isFalse();
    try (KeyMaterial key = KeyMaterial.copyOf(new byte[999])) {
      assertThatThrownBy(() -> engine.sectorCipher(algorithm, key))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining(engine.name())
          .hasMessageContaining(algorithm.cryptoApiName())
          .hasMessageContaining("999");
    }
  }

  @Test
  void whatNobodyKnowsIsNotSupported() {
    assertThat(engine.supports(new SectorAlgorithm("rot13", "cbc", 16, 512))).isFalse();
    assertThat(engine.supports(new SectorAlgorithm("aes", "gcm", 16, 512))).isFalse();
    assertThat(engine.supports(new SectorAlgorithm("des", "xts", 16, 512))).isFalse();
    assertThat(engine.supportsBlock("rot13", 16)).isFalse();
    assertThat(engine.supportsBlock("cipher_null", 0)).isFalse();
    assertThat(engine.supportsBlock("xchacha12,aes", 32)).isFalse();
  }

  @Test
  void availabilityNamesTheVersion() {
    assertThat(engine.availability().version()).matches("[0-9].*");
    assertThat(engine.availability()).isSameAs(engine.availability());
  }

  Stream<String> blockCiphers() {
    return Ciphers.names().stream()
        .filter(cipher -> engine.supportsBlock(cipher, Ciphers.maxKeySize(cipher)));
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("blockCiphers")
  void blocksAreTheSameAtAnyOffsetLengthAndInPlace(String name) throws IOException {
    Random random = new Random(name.hashCode());
    byte[] bytes = randomBytes(random, Ciphers.maxKeySize(name));
    try (KeyMaterial key = KeyMaterial.copyOf(bytes);
        BlockCipher cipher = engine.blockCipher(name, key)) {
      int bs = cipher.blockSize();
      assertThat(bs).isEqualTo(Ciphers.blockSize(name));
      int most = 40_000 / bs;
      byte[] plain = randomBytes(random, most * bs);
      byte[] encrypted = new byte[plain.length];
      for (int i = 0; i < plain.length; i += bs) {
        cipher.encrypt(plain, i, encrypted, i, bs);
      }
      for (int round = 0; round < 30; round++) {
        int n = bs * (1 + random.nextInt(1 << random.nextInt(1 + log2(most))));
        int from = bs * random.nextInt((plain.length - n) / bs + 1);
        int to = random.nextInt(3) * 5;
        String what = "round " + round + ": " + n + " bytes from " + from + " to " + to;
        byte[] out = new byte[to + n + 3];
        cipher.encrypt(plain, from, out, to, n);
        assertThat(Arrays.copyOfRange(out, to, to + n))
            .as(what)
            .isEqualTo(Arrays.copyOfRange(encrypted, from, from + n));
        assertThat(out[to + n]).isZero();
        cipher.decrypt(out, to, out, to, n);
        assertThat(Arrays.copyOfRange(out, to, to + n))
            .as("in place, " + what)
            .isEqualTo(Arrays.copyOfRange(plain, from, from + n));
        cipher.encrypt(out, to, out, to, n);
        assertThat(Arrays.copyOfRange(out, to, to + n))
            .as("in place, " + what)
            .isEqualTo(Arrays.copyOfRange(encrypted, from, from + n));
        byte[] chained = new byte[to + n];
        cipher.decryptCbc(encrypted, from, chained, to, n);
        for (int i = bs; i < n; i++) {
          chained[to + i] ^= encrypted[from + i - bs];
        }
        assertThat(Arrays.copyOfRange(chained, to, to + n))
            .as("as a chain, " + what)
            .isEqualTo(Arrays.copyOfRange(plain, from, from + n));
      }
    }
  }

  private static int log2(int n) {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(n);
  }

  static byte[] randomBytes(Random random, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  private static void put(byte[] to, int index, byte[] bytes) {
    System.arraycopy(bytes, 0, to, index, bytes.length);
  }

  /** Random sectors with IVs of every kind: counting up, repeated, random, about to overflow. */
  private final class Work {
    final SectorAlgorithm algorithm;
    final byte[] key;
    final int sectors;
    final byte[] ivs;
    final byte[] plain;

    Work(SectorAlgorithm algorithm, byte[] key, int sectors, Random random) {
      this.algorithm = algorithm;
      this.key = key;
      this.sectors = sectors;
      plain = randomBytes(random, sectors * algorithm.sectorSize());
      int ivSize = Ciphers.ivSize(algorithm.cipher(), algorithm.mode());
      ivs = randomBytes(random, sectors * ivSize);
      for (int i = 0; i < sectors && ivSize > 0; i++) {
        int at = i * ivSize;
        switch (random.nextInt(6)) {
          case 0 -> put(ivs, at, Arrays.copyOfRange(ivs, at - (i == 0 ? 0 : ivSize), at));
          case 1 -> Arrays.fill(ivs, at, at + ivSize, (byte) 0xff);
          case 2 -> count(at, ivSize, i, ByteOrder.BIG_ENDIAN);
          case 3, 4 -> count(at, ivSize, i, ByteOrder.LITTLE_ENDIAN);
          default -> {}
        }
      }
    }

    private void count(int at, int ivSize, int number, ByteOrder order) {
      Arrays.fill(ivs, at, at + ivSize, (byte) 0);
      int index = order == ByteOrder.BIG_ENDIAN ? at + ivSize - 8 : at;
      ByteBuffer.wrap(ivs).order(order).putLong(index, 0xffff_fffcL + number);
    }

    byte[] encrypt() throws IOException {
      return transform(true, plain);
    }

    byte[] decrypt(byte[] encrypted) throws IOException {
      return transform(false, encrypted);
    }

    private byte[] transform(boolean encrypt, byte[] in) throws IOException {
      ByteBuffer out = ByteBuffer.allocate(in.length);
      try (KeyMaterial material = KeyMaterial.copyOf(key);
          SectorCipher cipher = engine.sectorCipher(algorithm, material)) {
        if (encrypt) {
          cipher.encrypt(ivs, ByteBuffer.wrap(in), 0, out, 0, in.length);
        } else {
          cipher.decrypt(ivs, ByteBuffer.wrap(in), 0, out, 0, in.length);
        }
      }
      return out.array();
    }
  }

  /** A source and a destination of random kinds at random places between guard bytes. */
  private static final class Buffers {
    final ByteBuffer src;
    final int srcIndex;
    final ByteBuffer dst;
    final int dstIndex;
    final int size;
    final boolean inPlace;

    Buffers(int size, Random random) {
      this.size = size;
      src = guarded(size, random);
      srcIndex = random.nextInt(GUARD);
      inPlace = random.nextInt(3) == 0;
      dst = inPlace ? src : guarded(size, random);
      dstIndex = inPlace ? srcIndex : random.nextInt(GUARD);
    }

    private static ByteBuffer guarded(int size, Random random) {
      int all = size + GUARD;
      ByteBuffer buffer =
          random.nextBoolean() ? ByteBuffer.allocateDirect(all) : ByteBuffer.allocate(all);
      for (int i = 0; i < all; i++) {
        buffer.put(i, GUARD_BYTE);
      }
      buffer.order(random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
      return buffer.position(1);
    }

    byte[] result() {
      return copy(dst, dstIndex);
    }

    private byte[] copy(ByteBuffer buffer, int index) {
      byte[] bytes = new byte[size];
      buffer.duplicate().clear().get(index, bytes);
      return bytes;
    }

    void assertUntouched(String what, byte[] source) {
      if (!inPlace) {
        assertThat(copy(src, srcIndex)).as("source, %s", what).isEqualTo(source);
      }
      ByteBuffer all = dst.duplicate().clear();
      for (int i = 0; i < all.limit(); i++) {
        if (i < dstIndex || i >= dstIndex + size) {
          assertThat(all.get(i)).as("guard byte %d, %s", i, what).isEqualTo(GUARD_BYTE);
        }
      }
      assertThat(dst.position()).as(what).isEqualTo(1);
    }

    @Override
    public String toString() {
      return (src.isDirect() ? "direct " : "heap ")
          + srcIndex
          + (inPlace
              ? " in place"
              : dst.isDirect() ? " to direct " + dstIndex : " to heap " + dstIndex);
    }
  }
}
