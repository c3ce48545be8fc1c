package io.jdm.blockdev.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.jdm.testing.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerPoolTest {
  private static final String NAME = "kcryptd/worker-pool-test";

  private WorkerPool pool = new WorkerPool(NAME, 3, Thread.NORM_PRIORITY);

  @AfterEach
  void closePool() {
    pool.close();
  }

  // Who does what.

  @Test
  void everyPieceIsDoneOnce() throws IOException {
    for (int pieces : new int[] {0, 1, 2, 3, 7, 100, 5_000}) {
      AtomicIntegerArray done = new AtomicIntegerArray(pieces);
      pool.run(pieces, done::incrementAndGet);
      for (int i = 0; i < pieces; i++) {
        assertThat(done.get(i)).as("piece %d of %d", i, pieces).isEqualTo(1);
      }
    }
  }

  @Test
  void theCallerAndAllWorkersWorkSideBySide() throws IOException {
    CyclicBarrier together = new CyclicBarrier(4);
    Set<Thread> workers = ConcurrentHashMap.newKeySet();
    pool.run(
        4,
        i -> {
          workers.add(Thread.currentThread());
          meet(together);
        });
    assertThat(workers).hasSize(4).contains(Thread.currentThread());
    workers.remove(Thread.currentThread());
    assertThat(workers)
        .allSatisfy(
            worker -> {
              assertThat(worker.getName()).isEqualTo(NAME);
              assertThat(worker.isDaemon()).isTrue();
              assertThat(worker.getContextClassLoader()).isNull();
            });
  }

  @Test
  void onePieceIsTheCallers() throws IOException {
    pool.run(1, i -> assertThat(Thread.currentThread().getName()).isNotEqualTo(NAME));
    assertThat(workers()).isEmpty();
  }

  @Test
  void withoutWorkersTheCallerDoesEverythingInOrder() throws IOException {
    Thread caller = Thread.currentThread();
    List<Integer> order = new ArrayList<>();
    try (WorkerPool none = new WorkerPool(NAME, 0, Thread.NORM_PRIORITY)) {
      none.run(
          5,
          i -> {
            assertThat(Thread.currentThread()).isSameAs(caller);
            order.add(i);
          });
    }
    assertThat(order).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void busyWorkersAreNotWaitedFor() throws Exception {
    CountDownLatch busy = new CountDownLatch(4);
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    Threads.runTogether(
        2,
        thread -> {
          if (thread == 0) {
            pool.run(
                4,
                i -> {
                  busy.countDown();
                  waitFor(end);
                });
          } else {
            waitFor(busy);
            for (int request = 0; request < 200; request++) {
              pool.run(10, i -> done.incrementAndGet());
            }
            end.countDown();
          }
        });
    assertThat(done).hasValue(2_000);
  }

  @Test
  void nestedRequestsDoNotDeadlock() throws Exception {
    AtomicInteger done = new AtomicInteger();
    Threads.runTogether(
        4, thread -> pool.run(6, i -> pool.run(6, j -> pool.run(3, k -> done.incrementAndGet()))));
    assertThat(done).hasValue(4 * 6 * 6 * 3);
  }

  // Failures.

  @Test
  void theFirstFailureWinsAndLaterOnesAreSuppressed() {
    CyclicBarrier together = new CyclicBarrier(4);
    Throwable failure =
        catchThrowable(
            () ->
                pool.run(
                    4,
                    i -> {
                      meet(together);
                      throw new IOException("piece " + i);
                    }));
    assertThat(failure).isInstanceOf(IOException.class);
    assertThat(failure.getSuppressed()).hasSize(3);
  }

  @Test
  void nothingIsBegunAfterAFailureAndEverythingBegunHasEnded() {
    CyclicBarrier together = new CyclicBarrier(4);
    AtomicReference<Thread> failing = new AtomicReference<>();
    ConcurrentLinkedQueue<Integer> begun = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Integer> ended = new ConcurrentLinkedQueue<>();
    assertThatThrownBy(
            () ->
                pool.run(
                    1_000,
                    i -> {
                      begun.add(i);
                      if (i == 2) {
                        failing.set(Thread.currentThread());
                      }
                      meet(together);
                      if (i == 2) {
                        throw new IOException("piece 2");
                      }
                      // It passes over all others, and then has nothing to do.
                      await().until(() -> isWaiting(failing.get()));
                      ended.add(i);
                    }))
        .hasMessage("piece 2");
    assertThat(begun).containsExactlyInAnyOrder(0, 1, 2, 3);
    assertThat(ended).containsExactlyInAnyOrder(0, 1, 3);
  }

  @Test
  void uncheckedFailuresAndErrorsComeOutAsTheyAre() {
    RuntimeException bug = new IllegalStateException("a bug");
    assertThatThrownBy(
            () ->
                pool.run(
                    8,
                    i -> {
                      throw bug;
                    }))
        .isSameAs(bug);
    Error error = new AssertionError("an error");
    assertThatThrownBy(
            () ->
                pool.run(
                    8,
                    i -> {
                      throw error;
                    }))
        .isSameAs(error);
  }

  @Test
  void aFailureDoesNotSpoilTheNextRequest() throws IOException {
    for (int round = 0; round < 100; round++) {
      assertThatThrownBy(
              () ->
                  pool.run(
                      5,
                      i -> {
                        throw new IOException();
                      }))
          .isInstanceOf(IOException.class);
      AtomicInteger done = new AtomicInteger();
      pool.run(5, i -> done.incrementAndGet());
      assertThat(done).hasValue(5);
    }
  }

  // Interrupts.

  @Test
  void anInterruptedCallerGetsEverythingDoneAndStaysInterrupted() throws IOException {
    AtomicInteger done = new AtomicInteger();
    Thread caller = Thread.currentThread();
    CyclicBarrier together = new CyclicBarrier(4);
    pool.run(
        4,
        i -> {
          meet(together);
          if (Thread.currentThread() == caller) {
            caller.interrupt();
          } else {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
          }
          done.incrementAndGet();
        });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasValue(4);
  }

  @Test
  void aCallerInterruptedWhileItWaitsWaitsOn() throws Exception {
    Thread caller = Thread.currentThread();
    CyclicBarrier two = new CyclicBarrier(2);
    AtomicInteger done = new AtomicInteger();
    pool.run(
        2,
        i -> {
          meet(two);
          if (Thread.currentThread() != caller) {
            await().until(() -> isWaiting(caller));
            caller.interrupt();
            await().until(() -> isWaiting(caller));
          }
          done.incrementAndGet();
        });
    assertThat(Thread.interrupted()).isTrue();
    assertThat(done).hasValue(2);
  }

  // Threads come and go.

  @Test
  void idleThreadsLeaveAndOthersComeWhenNeeded() throws IOException {
    pool.close();
    pool = new WorkerPool(NAME, 3, Thread.NORM_PRIORITY, Duration.ofMillis(1));
    for (int round = 0; round < 3; round++) {
      theCallerAndAllWorkersWorkSideBySide();
      await().until(() -> workers().isEmpty());
    }
  }

  @Test
  void aClosedPoolLeavesTheWorkToItsCallers() throws IOException {
    theCallerAndAllWorkersWorkSideBySide();
    pool.close();
    Thread caller = Thread.currentThread();
    AtomicInteger done = new AtomicInteger();
    pool.run(
        10,
        i -> {
          assertThat(Thread.currentThread()).isSameAs(caller);
          done.incrementAndGet();
        });
    assertThat(done).hasValue(10);
    await().until(() -> workers().isEmpty());
  }

  private static boolean isWaiting(Thread thread) {
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  private static List<Thread> workers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(NAME))
        .toList();
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
