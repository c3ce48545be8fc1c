package io.jdm.crypt.kdf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.crypt.kdf.Argon2.Cost;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.testing.SharedFolder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.jr.ob.JSON;

final class Argon2Test {
  private static final byte[] SALT = "saltsaltsaltsalt".getBytes(StandardCharsets.US_ASCII);
  private static final Cost SMALL = new Cost(1, 64, 1);

  private static byte[] derive(
      Argon2Function function, Argon2.Type type, byte[] password, byte[] salt, Cost cost, int size)
      throws IOException {
    try (KeyMaterial secret = KeyMaterial.copyOf(password);
        KeyMaterial key =
            Argon2.derive(
                function,
                new MemoryGate(() -> 1000),
                type,
                secret,
                salt,
                cost,
                size,
                KdfMonitor.NONE)) {
      return key.exposeBytes();
    }
  }

  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> vectors() throws IOException {
    Map<String, Object> all =
        JSON.std.mapFrom(
            Files.readAllBytes(SharedFolder.file("images/cryptsetup/crypto-vectors.json")));
    return ((List<Map<String, Object>>) all.get("kdf"))
        .stream().filter(v -> ((String) v.get("type")).startsWith("argon2")).toList();
  }

  /**
   * RFC 9106 has no vector without secret and associated data; these are cryptsetup's and the
   * reference implementation's.
   */
  @ParameterizedTest
  @MethodSource("vectors")
  void bothImplementationsGiveCryptsetupsAnswers(Map<String, Object> vector) throws IOException {
    HexFormat hex = HexFormat.of();
    byte[] expected = hex.parseHex((String) vector.get("output"));
    for (Argon2Function function : List.of(new NativeArgon2(), new BouncyCastleArgon2())) {
      assertThat(
              derive(
                  function,
                  vector.get("type").equals("argon2i") ? Argon2.Type.ARGON2I : Argon2.Type.ARGON2ID,
                  hex.parseHex((String) vector.get("password")),
                  hex.parseHex((String) vector.get("salt")),
                  new Cost(
                      (int) vector.get("iterations"),
                      (int) vector.get("memory_kib"),
                      (int) vector.get("parallel")),
                  expected.length))
          .as(function.name())
          .isEqualTo(expected);
    }
  }

  @Test
  void bothImplementationsAgree() throws IOException {
    long seed = Long.getLong("jdm.random.seed", 20261201);
    Random random = new Random(seed);
    for (int i = 0; i < 20; i++) {
      byte[] password = new byte[random.nextInt(100)];
      byte[] salt = new byte[8 + random.nextInt(56)];
      random.nextBytes(password);
      random.nextBytes(salt);
      int lanes = 1 + random.nextInt(4);
      Cost cost = new Cost(1 + random.nextInt(4), 8 * lanes + random.nextInt(1000), lanes);
      Argon2.Type type = i % 2 == 0 ? Argon2.Type.ARGON2I : Argon2.Type.ARGON2ID;
      int size = 4 + random.nextInt(124);
      assertThat(derive(new NativeArgon2(), type, password, salt, cost, size))
          .as("%s %s, seed %d", type, cost, seed)
          .isEqualTo(derive(new BouncyCastleArgon2(), type, password, salt, cost, size));
    }
  }

  @Test
  void theNativeLibraryIsChosenWhereItLoads() {
    assertThat(Argon2.implementation()).isEqualTo("libargon2");
    assertThat(Argon2.availableMib()).isPositive();
  }

  @Test
  void moreMemoryThanThereIsRefusedBeforeAnythingStarts() {
    AtomicInteger calls = new AtomicInteger();
    try (KeyMaterial secret = KeyMaterial.copyOf(new byte[4])) {
      assertThatThrownBy(
              () ->
                  Argon2.derive(
                      waiting(calls, new CountDownLatch(0)),
                      new MemoryGate(() -> 99),
                      Argon2.Type.ARGON2ID,
                      secret,
                      SALT,
                      new Cost(4, 100 << 10, 4),
                      32,
                      KdfMonitor.NONE))
          .isInstanceOfSatisfying(
              KdfMemoryException.class,
              e -> {
                assertThat(e.neededMib()).isEqualTo(100);
                assertThat(e.availableMib()).isEqualTo(99);
              })
          .hasMessageContaining("needs 100 MiB of memory, available are 99 MiB");
    }
    assertThat(calls).hasValue(0);
  }

  @Test
  void memoryThatRunsOutAllTheSameIsTheSameError() {
    Argon2Function exhausted =
        function(
            () -> {
              throw new OutOfMemoryError("test");
            });
    assertThatThrownBy(() -> derive(exhausted, Argon2.Type.ARGON2I, new byte[1], SALT, SMALL, 32))
        .isInstanceOf(KdfMemoryException.class);
  }

  @Test
  void thoseThatDoNotFitTogetherWaitForEachOther() throws Exception {
    int tasks = 8;
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Argon2Function counting =
        function(
            () -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              Thread.yield();
              running.decrementAndGet();
            });
    MemoryGate gate = new MemoryGate(() -> 25);
    ExecutorService threads = Executors.newFixedThreadPool(tasks);
    List<Callable<Integer>> work = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      work.add(
          () -> {
            try (KeyMaterial secret = KeyMaterial.copyOf(new byte[4]);
                KeyMaterial key =
                    Argon2.derive(
                        counting,
                        gate,
                        Argon2.Type.ARGON2ID,
                        secret,
                        SALT,
                        new Cost(1, 10 << 10, 1),
                        32,
                        KdfMonitor.NONE)) {
              return key.size();
            }
          });
    }
    for (Future<Integer> done : threads.invokeAll(work)) {
      assertThat(done.get()).isEqualTo(32);
    }
    threads.shutdown();
    assertThat(most.get()).isBetween(1, 2);
  }

  @Test
  void aMonitorEndsItAtOnceAndTheMemoryComesBackLater() throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    MemoryGate gate = new MemoryGate(() -> 1);
    try (KeyMaterial secret = KeyMaterial.copyOf(new byte[4])) {
      assertThatThrownBy(
              () ->
                  Argon2.derive(
                      waiting(calls, finish),
                      gate,
                      Argon2.Type.ARGON2ID,
                      secret,
                      SALT,
                      SMALL,
                      32,
                      fraction -> {
                        throw new InterruptedIOException("Ctrl-C");
                      }))
          .hasMessage("Ctrl-C");
      finish.countDown();
      Argon2.derive(
              waiting(calls, finish),
              gate,
              Argon2.Type.ARGON2ID,
              secret,
              SALT,
              SMALL,
              32,
              KdfMonitor.NONE)
          .close();
    }
    assertThat(calls).hasValue(2);
  }

  @Test
  void impossibleCostsAreProgrammingErrors() {
    assertThatThrownBy(() -> new Cost(0, 64, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Cost(1, 15, 2)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Cost(1, 64, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  private static Argon2Function waiting(AtomicInteger calls, CountDownLatch finish) {
    return function(
        () -> {
          calls.incrementAndGet();
          try {
            finish.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static Argon2Function function(Runnable work) {
    return new Argon2Function() {
      @Override
      public String name() {
        return "test";
      }

      @Override
      public long availableMib() {
        return 1;
      }

      @Override
      public String memoryKind() {
        return "of this test";
      }

      @Override
      public void derive(Argon2.Type type, byte[] password, byte[] salt, Cost cost, byte[] out) {
        work.run();
      }
    };
  }
}
