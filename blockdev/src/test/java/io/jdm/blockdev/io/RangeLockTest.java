package io.jdm.blockdev.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.jdm.testing.Allocation;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RangeLockTest {
  private final RangeLock lock = new RangeLock();

  @Test
  void rangesThatOnlyTouchDoNotWait() throws Exception {
    RangeLock.Range held = lock.lock(100, 100);
    Threads.runTogether(
        1,
        thread -> {
          lock.unlock(lock.lock(0, 100));
          lock.unlock(lock.lock(200, 100));
          lock.unlock(lock.lockShared(0, 100));
        });
    lock.unlock(held);
  }

  @Test
  void sharedRangesOverlap() throws Exception {
    RangeLock.Range held = lock.lockShared(0, 100);
    Threads.runTogether(1, thread -> lock.unlock(lock.lockShared(50, 100)));
    lock.unlock(held);
  }

  @Test
  void overlappingRangesWaitForEachOther() throws Exception {
    assertWaits(true, true);
    assertWaits(true, false);
    assertWaits(false, true);
  }

  private void assertWaits(boolean firstExclusive, boolean secondExclusive) throws Exception {
    ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
    AtomicReference<Thread> second = new AtomicReference<>();
    CountDownLatch held = new CountDownLatch(1);
    Threads.runTogether(
        2,
        thread -> {
          if (thread == 0) {
            RangeLock.Range range = firstExclusive ? lock.lock(0, 10) : lock.lockShared(0, 10);
            held.countDown();
            await().until(() -> isWaiting(second.get()));
            events.add("first ends");
            lock.unlock(range);
          } else {
            held.await();
            second.set(Thread.currentThread());
            RangeLock.Range range = secondExclusive ? lock.lock(9, 10) : lock.lockShared(9, 10);
            events.add("second begins");
            lock.unlock(range);
          }
        });
    assertThat(events).containsExactly("first ends", "second begins");
  }

  @Test
  void anExclusiveRequestIsNotStarvedByLaterSharedOnes() throws Exception {
    ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();
    AtomicReference<Thread> writer = new AtomicReference<>();
    AtomicReference<Thread> reader = new AtomicReference<>();
    CountDownLatch held = new CountDownLatch(1);
    Threads.runTogether(
        3,
        thread -> {
          switch (thread) {
            case 0 -> {
              RangeLock.Range range = lock.lockShared(0, 10);
              held.countDown();
              await().until(() -> isWaiting(reader.get()));
              lock.unlock(range);
            }
            case 1 -> {
              held.await();
              writer.set(Thread.currentThread());
              RangeLock.Range range = lock.lock(0, 10);
              order.add("writer");
              lock.unlock(range);
            }
            default -> {
              await().until(() -> isWaiting(writer.get()));
              reader.set(Thread.currentThread());
              RangeLock.Range range = lock.lockShared(0, 10);
              order.add("reader");
              lock.unlock(range);
            }
          }
        });
    assertThat(order).containsExactly("writer", "reader");
  }

  @Test
  void anInterruptNeitherEndsTheWaitNorGetsLost() throws Exception {
    AtomicReference<Thread> waiter = new AtomicReference<>();
    CountDownLatch held = new CountDownLatch(1);
    Threads.runTogether(
        2,
        thread -> {
          if (thread == 0) {
            RangeLock.Range range = lock.lock(0, 10);
            held.countDown();
            await().until(() -> isWaiting(waiter.get()));
            waiter.get().interrupt();
            await().until(() -> isWaiting(waiter.get()));
            lock.unlock(range);
          } else {
            held.await();
            waiter.set(Thread.currentThread());
            RangeLock.Range range = lock.lock(0, 10);
            assertThat(Thread.interrupted()).isTrue();
            lock.unlock(range);
          }
        });
  }

  @Test
  void nobodyElseMayUnlock() throws Exception {
    RangeLock.Range range = lock.lock(0, 10);
    Threads.runTogether(
        1, thread -> assertThatIllegalStateException().isThrownBy(() -> lock.unlock(range)));
    lock.unlock(range);
    assertThatIllegalStateException().isThrownBy(() -> lock.unlock(range));
  }

  @Test
  void manyThreadsNeverOverlap() throws Exception {
    int units = 16;
    // 0: free, -1: exclusive, above: how many share it.
    AtomicIntegerArray state = new AtomicIntegerArray(units);
    Threads.runTogether(
        6,
        thread -> {
          Random random = new Random(thread);
          for (int i = 0; i < 3_000; i++) {
            int start = random.nextInt(units);
            int length = 1 + random.nextInt(units - start);
            boolean exclusive = random.nextBoolean();
            RangeLock.Range range =
                exclusive ? lock.lock(start, length) : lock.lockShared(start, length);
            for (int unit = start; unit < start + length; unit++) {
              int before = state.getAndUpdate(unit, exclusive ? s -> s == 0 ? -1 : 99 : s -> s + 1);
              assertThat(exclusive ? before == 0 : before >= 0 && before < 99)
                  .as("seed %d: unit %d was %d", thread, unit, before)
                  .isTrue();
            }
            for (int unit = start; unit < start + length; unit++) {
              state.getAndUpdate(unit, exclusive ? s -> 0 : s -> s - 1);
            }
            lock.unlock(range);
          }
        });
    assertThat(state).hasToString(new AtomicIntegerArray(units).toString());
  }

  @Test
  void lockingAllocatesNothingOnceWarm() throws IOException {
    Allocation.assertNone(i -> lock.unlock(lock.lock(i, 10)));
  }

  private static boolean isWaiting(Thread thread) {
    return thread != null && thread.getState() == Thread.State.WAITING;
  }
}
