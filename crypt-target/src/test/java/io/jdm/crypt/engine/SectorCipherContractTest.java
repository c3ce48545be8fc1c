package io.jdm.crypt.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every sector cipher of every engine owes: the known answers, the same bytes as the other
 * engines whatever the buffers and however a run is split, and no garbage.
 */
final class SectorCipherContractTest {
  private static final int GUARD = 64;
  private static final byte GUARD_BYTE = 0x5a;

  static Stream<Arguments> answers() {
    return engines()
        .flatMap(
            engine ->
                KnownAnswers.all().stream()
                    .filter(answer -> engine.supports(answer.algorithm()))
                    .map(answer -> Arguments.of(engine, answer.algorithm())));
  }

  /** Each engine with one key size of each cipher and mode it has, in sectors of 512 and 4096. */
  static Stream<Arguments> algorithms() {
    Set<String> seen = new LinkedHashSet<>();
    return answers()
        .filter(
            a -> {
              SectorAlgorithm algorithm = (SectorAlgorithm) a.get()[1];
              return seen.add(a.get()[0] + algorithm.cryptoApiName() + algorithm.sectorSize());
            });
  }

  private static Stream<Engine> engines() {
    return Engines.installed().all().stream().filter(e -> e.availability().available());
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("answers")
  void gives_the_known_answer(Engine engine, SectorAlgorithm algorithm) throws Exception {
    KnownAnswers.prove(engine, algorithm);
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("algorithms")
  void agrees_with_bouncy_castle_on_random_runs_in_all_kinds_of_buffers(
      Engine engine, SectorAlgorithm algorithm) throws Exception {
    Engine other = Engines.installed().byName("bouncycastle");
    Assumptions.assumeTrue(other.supports(algorithm));
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] key = bytes(random, algorithm.keySize());
    try (KeyMaterial material = KeyMaterial.copyOf(key);
        SectorCipher cipher = engine.sectorCipher(algorithm, material);
        SectorCipher reference = other.sectorCipher(algorithm, material)) {
      for (int sectors :
          algorithm.sectorSize() == 512 ? new int[] {1, 3, 5, 33} : new int[] {1, 5}) {
        int length = sectors * algorithm.sectorSize();
        byte[] plain = bytes(random, length);
        byte[] ivs = bytes(random, sectors * ivSize(algorithm));
        ByteBuffer expected = ByteBuffer.allocate(length);
        reference.encrypt(ivs, ByteBuffer.wrap(plain), 0, expected, 0, length);
        for (boolean directSource : new boolean[] {false, true}) {
          for (boolean directTarget : new boolean[] {false, true}) {
            String how =
                "seed " + seed + ", " + sectors + " sectors, direct " + directSource + directTarget;
            ByteBuffer src = guarded(plain, directSource);
            ByteBuffer dst = guarded(new byte[length], directTarget);
            byte[] ivsBefore = ivs.clone();
            cipher.encrypt(ivs, src, GUARD, dst, GUARD, length);
            assertThat(inside(dst, length)).as(how).isEqualTo(expected.array());
            assertThat(inside(src, length)).as(how + ": source").isEqualTo(plain);
            assertThat(ivs).as(how + ": IVs").isEqualTo(ivsBefore);
            cipher.decrypt(ivs, dst, GUARD, src, GUARD, length);
            assertThat(inside(src, length)).as(how + ": back").isEqualTo(plain);
            cipher.encrypt(ivs, src, GUARD, src, GUARD, length);
            assertThat(inside(src, length)).as(how + ": in place").isEqualTo(expected.array());
            cipher.decrypt(ivs, src, GUARD, src, GUARD, length);
            assertThat(inside(src, length)).as(how + ": back in place").isEqualTo(plain);
          }
        }
      }
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("algorithms")
  void gives_the_same_bytes_however_a_run_is_split(Engine engine, SectorAlgorithm algorithm)
      throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int size = algorithm.sectorSize();
    int sectors = 40 * 1024 / size;
    int ivSize = ivSize(algorithm);
    byte[] ivs = bytes(random, sectors * ivSize);
    ByteBuffer plain = ByteBuffer.wrap(bytes(random, sectors * size));
    ByteBuffer whole = ByteBuffer.allocateDirect(sectors * size);
    ByteBuffer pieces = ByteBuffer.allocateDirect(sectors * size);
    try (KeyMaterial key = KeyMaterial.moveFrom(bytes(random, algorithm.keySize()));
        SectorCipher cipher = engine.sectorCipher(algorithm, key)) {
      cipher.encrypt(ivs, plain, 0, whole, 0, sectors * size);
      for (int at = 0; at < sectors; ) {
        int n = Math.min(1 + random.nextInt(sectors / 2), sectors - at);
        byte[] part = Arrays.copyOfRange(ivs, at * ivSize, (at + n) * ivSize);
        cipher.encrypt(part, plain, at * size, pieces, at * size, n * size);
        at += n;
      }
      assertThat(pieces).as("seed " + seed).isEqualTo(whole);
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("algorithms")
  void allocates_nothing_once_it_is_warm(Engine engine, SectorAlgorithm algorithm)
      throws Exception {
    int length = 4096;
    byte[] ivs = new byte[length / algorithm.sectorSize() * ivSize(algorithm)];
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long me = Thread.currentThread().getId();
    try (KeyMaterial key = KeyMaterial.moveFrom(bytes(new Random(1), algorithm.keySize()));
        SectorCipher cipher = engine.sectorCipher(algorithm, key)) {
      ByteBuffer data =
          cipher.prefersDirect() ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
      int rounds = 20;
      long perRound = Long.MAX_VALUE;
      for (int attempt = 0; attempt < 20 && perRound > 0; attempt++) {
        long before = threads.getThreadAllocatedBytes(me);
        for (int i = 0; i < rounds; i++) {
          cipher.encrypt(ivs, data, 0, data, 0, length);
          cipher.decrypt(ivs, data, 0, data, 0, length);
        }
        perRound = Math.min(perRound, (threads.getThreadAllocatedBytes(me) - before) / rounds);
      }
      assertThat(perRound).isLessThanOrEqualTo(allowance(engine, 2 * length));
    }
  }

  /** What the libraries below allocate themselves in a round, which is not ours to avoid. */
  private static long allowance(Engine engine, int bytes) {
    return switch (engine.name()) {
      case "gcrypt" -> 0;
      // Serpent, Camellia, triple DES and others make an array for every block.
      case "bouncycastle" -> 8L * bytes;
      // Each sector is a call that takes an IV object and a copy of the key.
      case "corretto" -> 2L * bytes;
      default -> 1024;
    };
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("algorithms")
  void works_in_many_threads_with_one_instance_each(Engine engine, SectorAlgorithm algorithm)
      throws Exception {
    int length = 8 * algorithm.sectorSize();
    byte[] key = bytes(new Random(2), algorithm.keySize());
    byte[] ivs = bytes(new Random(3), 8 * ivSize(algorithm));
    ByteBuffer plain = ByteBuffer.wrap(bytes(new Random(4), length));
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<ByteBuffer>> results = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        results.add(pool.submit(() -> encryptOften(engine, algorithm, key, ivs, plain, length)));
      }
      ByteBuffer first = results.get(0).get();
      for (Future<ByteBuffer> result : results) {
        assertThat(result.get()).isEqualTo(first);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static ByteBuffer encryptOften(
      Engine engine,
      SectorAlgorithm algorithm,
      byte[] key,
      byte[] ivs,
      ByteBuffer plain,
      int length)
      throws IOException {
    ByteBuffer first = ByteBuffer.allocate(length);
    ByteBuffer again = ByteBuffer.allocate(length);
    try (KeyMaterial material = KeyMaterial.copyOf(key);
        SectorCipher cipher = engine.sectorCipher(algorithm, material)) {
      cipher.encrypt(ivs, plain, 0, first, 0, length);
      for (int i = 0; i < 20; i++) {
        cipher.encrypt(ivs, plain, 0, again, 0, length);
        assertThat(again).isEqualTo(first);
      }
    }
    return first;
  }

  private static int ivSize(SectorAlgorithm algorithm) {
    return Ciphers.ivSize(algorithm.cipher(), algorithm.mode());
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static ByteBuffer guarded(byte[] content, boolean direct) {
    int size = content.length + 2 * GUARD;
    ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
    for (int i = 0; i < GUARD; i++) {
      buffer.put(i, GUARD_BYTE);
      buffer.put(size - 1 - i, GUARD_BYTE);
    }
    return buffer.put(GUARD, content);
  }

  private static byte[] inside(ByteBuffer guarded, int length) {
    for (int i = 0; i < GUARD; i++) {
      assertThat(guarded.get(i)).isEqualTo(GUARD_BYTE);
      assertThat(guarded.get(GUARD + length + i)).isEqualTo(GUARD_BYTE);
    }
    byte[] inside = new byte[length];
    guarded.get(GUARD, inside);
    return inside;
  }
}
