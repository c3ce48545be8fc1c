package io.jdm.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** Proves with the JVM's own counters that something allocates no memory once it is warm. */
public final class Allocation {
  private static final int ROUNDS = 5_000;

  private Allocation() {}

  /** What is repeated. */
  @FunctionalInterface
  public interface Request {
    void run(int round) throws IOException;
  }

  /** Fails if the calling thread allocates more than now and then a byte for a request. */
  public static void assertNone(Request request) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    run(request);
    long before = threads.getCurrentThreadAllocatedBytes();
    run(request);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).as("bytes allocated by %d requests", ROUNDS).isLessThan(ROUNDS);
  }

  private static void run(Request request) throws IOException {
    for (int i = 0; i < ROUNDS; i++) {
      request.run(i);
    }
  }
}
