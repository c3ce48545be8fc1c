package io.jdm.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** Proves with the JVM's own counters that something allocates no memory once it is warm. */
public final class Allocation {
  private static final int REQUESTS = 2_000;
  private static final int ROUNDS_TO_WARM_UP = 100;

  private Allocation() {}

  /** What is repeated. */
  @FunctionalInterface
  public interface Request {
    void run(int round) throws IOException;
  }

  /**
   * Fails if the calling thread does not get to the point where it allocates less than a byte per
   * request, as the compilers of the JVM get to work.
   */
  public static void assertNone(Request request) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS_TO_WARM_UP && allocated >= REQUESTS; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < REQUESTS; i++) {
        request.run(i);
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(allocated).as("bytes allocated by %d requests", REQUESTS).isLessThan(REQUESTS);
  }
}
