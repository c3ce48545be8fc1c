package io.jdm.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Runs something on several threads at once and reports what went wrong in any of them. */
public final class Threads {
  private Threads() {}

  /** What one thread does. */
  @FunctionalInterface
  public interface Work {
    /**
     * Runs in a thread of its own.
     *
     * @param index of the thread, from 0
     */
    void run(int index) throws Exception;
  }

  /** Starts all threads together, waits for them, and throws the first failure. */
  public static void runTogether(int count, Work work) throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int index = i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  work.run(index);
                } catch (Throwable t) {
                  if (!failure.compareAndSet(null, t)) {
                    failure.get().addSuppressed(t);
                  }
                }
              },
              "test-" + index);
      threads.add(thread);
      thread.start();
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError("a thread failed", failure.get());
    }
  }
}
