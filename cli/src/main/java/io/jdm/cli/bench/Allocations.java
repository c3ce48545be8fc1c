package io.jdm.cli.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/**
 * Bytes of heap that the threads of this process have allocated, by the JVM's counters, at one
 * moment.
 */
final class Allocations {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Map<Long, Long> byThread = new HashMap<>();

  private Allocations() {}

  /** Of the calling thread, since it began. */
  static long ofThisThread() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  /** Of every other thread that lives. */
  static Allocations ofOthers() {
    Allocations now = new Allocations();
    long[] ids = THREADS.getAllThreadIds();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] != Thread.currentThread().getId() && bytes[i] >= 0) {
        now.byThread.put(ids[i], bytes[i]);
      }
    }
    return now;
  }

  /** What those who live have allocated since an earlier moment. */
  long since(Allocations earlier) {
    return byThread.entrySet().stream()
        .mapToLong(thread -> thread.getValue() - earlier.byThread.getOrDefault(thread.getKey(), 0L))
        .sum();
  }
}
