package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.layer.FailingDevice;
import io.jdm.blockdev.layer.Fault;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.blockdev.layer.Operation;
import io.jdm.blockdev.memory.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who does the work, and in which order; by what the device below sees. */
@Timeout(60)
final class WorkersTest {
  private static final int SIZE = 4 << 20;
  private static final String TABLE =
      "0 " + SIZE / 512 + " crypt aes-xts-plain64 " + CryptFixture.KEY + " 0 DEV 0";

  private final Observed below = new Observed(MemoryDevice.ofSize(SIZE));

  @Test
  void workersHelpWithLargeRequestsOnly() throws Exception {
    try (CryptFixture crypt = CryptFixture.open(TABLE, below)) {
      crypt.write(0, new byte[64 << 10]);
      crypt.read(0, 64 << 10);
      assertThat(below.threads).containsExactly(Thread.currentThread().getName());
      below.meet = new CountDownLatch(2);
      crypt.read(0, SIZE);
      assertThat(below.threads).contains("kcryptd/test", Thread.currentThread().getName());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 same_cpu_crypt", "2 no_read_workqueue no_write_workqueue"})
  void workersCanBeTurnedOff(String options) throws IOException {
    try (CryptFixture crypt = CryptFixture.open(TABLE + " " + options, below)) {
      crypt.write(0, new byte[SIZE]);
      assertThat(below.offsets).isSorted();
      below.offsets.clear();
      crypt.read(0, SIZE);
      assertThat(below.offsets).isSorted();
      assertThat(below.threads).containsExactly(Thread.currentThread().getName());
    }
  }

  @Test
  void workersCanBeTurnedOffForOneDirection() throws IOException {
    try (CryptFixture crypt = CryptFixture.open(TABLE + " 1 no_read_workqueue", below)) {
      crypt.read(0, SIZE);
      assertThat(below.threads).containsExactly(Thread.currentThread().getName());
      below.meet = new CountDownLatch(2);
    }
    below.threads.clear();
    String options = " 2 no_read_workqueue submit_from_crypt_cpus";
    try (CryptFixture crypt = CryptFixture.open(TABLE + options, below)) {
      crypt.write(0, new byte[SIZE]);
      assertThat(below.threads).contains("kcryptd/test");
    }
  }

  @Test
  void writesAreSubmittedInAscendingOrder() throws IOException {
    try (CryptFixture crypt = CryptFixture.open(TABLE, below)) {
      for (int round = 0; round < 20; round++) {
        below.offsets.clear();
        crypt.write(0, new byte[SIZE]);
        assertThat(below.offsets).hasSizeGreaterThan(1).isSorted().doesNotHaveDuplicates();
      }
      assertThat(below.together).as("writes at the same time").isEqualTo(1);
    }
  }

  @Test
  void orFromTheWorkersSideBySide() throws IOException {
    below.meet = new CountDownLatch(2);
    try (CryptFixture crypt = CryptFixture.open(TABLE + " 1 submit_from_crypt_cpus", below)) {
      crypt.write(0, new byte[SIZE]);
      assertThat(below.together).isGreaterThan(1);
    }
  }

  @Test
  void highPriorityIsThatOfTheThreads() throws IOException {
    below.meet = new CountDownLatch(2);
    try (CryptFixture crypt = CryptFixture.open(TABLE + " 1 high_priority", below)) {
      crypt.read(0, SIZE);
      assertThat(below.priorities).contains(Thread.MAX_PRIORITY);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " 1 submit_from_crypt_cpus", " 1 same_cpu_crypt"})
  void aFailingPieceFailsTheRequestAndNothingHangs(String options) throws IOException {
    byte[] data = new byte[SIZE];
    new Random(3).nextBytes(data);
    FailingDevice failing = FailingDevice.of(below);
    try (CryptFixture crypt = CryptFixture.open(TABLE + options, failing)) {
      crypt.write(0, data);
      for (int n = 1; n <= SIZE / Converter.MAX_LENGTH; n++) {
        failing.inject(Fault.nth(n, Set.of(Operation.WRITE)));
        assertThat(
                catchThrowableOfType(DeviceException.class, () -> crypt.write(0, new byte[SIZE])))
            .hasMessageContaining("injected");
        failing.inject(Fault.nth(n, Set.of(Operation.READ)));
        assertThat(catchThrowableOfType(DeviceException.class, () -> crypt.read(0, SIZE)))
            .hasMessageContaining("injected");
        failing.heal();
        crypt.write(0, data);
        assertThat(crypt.read(0, SIZE)).isEqualTo(data);
      }
    }
  }

  @Test
  void nothingIsWrittenAfterAFailureInOrder() throws IOException {
    FailingDevice failing = FailingDevice.of(below);
    try (CryptFixture crypt = CryptFixture.open(TABLE, failing)) {
      failing.inject(Fault.nth(3, Set.of(Operation.WRITE)));
      assertThat(catchThrowableOfType(DeviceException.class, () -> crypt.write(0, new byte[SIZE])))
          .isNotNull();
      assertThat(below.offsets).containsExactly(0L, (long) Converter.MAX_LENGTH);
    }
  }

  /** Remembers who asked for what; can hold requests back until several have come. */
  private static final class Observed extends LayerDevice {
    final Set<String> threads = Collections.synchronizedSet(new HashSet<>());
    final Set<Integer> priorities = Collections.synchronizedSet(new HashSet<>());
    final List<Long> offsets = Collections.synchronizedList(new ArrayList<>());
    volatile CountDownLatch meet = new CountDownLatch(0);
    private int inside;
    private int together;

    Observed(BlockDevice below) {
      super(below);
    }

    @Override
    public String describe() {
      return "observed " + below.describe();
    }

    @Override
    protected void doRead(long offset, ByteBuffer dst) throws IOException {
      enter(offset);
      super.doRead(offset, dst);
      leave();
    }

    @Override
    protected void doWrite(long offset, ByteBuffer src) throws IOException {
      enter(offset);
      super.doWrite(offset, src);
      leave();
    }

    private void enter(long offset) {
      synchronized (this) {
        together = Math.max(together, ++inside);
        offsets.add(offset);
      }
      threads.add(Thread.currentThread().getName());
      priorities.add(Thread.currentThread().getPriority());
      meet.countDown();
      try {
        meet.await(20, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private synchronized void leave() {
      inside--;
    }
  }
}
