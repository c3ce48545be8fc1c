package io.jdm.cli.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Threads that do the same kind of work side by side, for a window of time. */
final class Team {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** What a batch moves at least, so that a look at the clock, some 25 ns, does not count. */
  private static final int BATCH_BYTES = 64 * 1024;

  private Team() {}

  /** Requests of this size that make a batch. */
  static int batch(int requestBytes) {
    return Math.max(1, BATCH_BYTES / requestBytes);
  }

  /** What one thread does over and over. */
  interface Work {
    /**
     * Does a batch that is long against a look at the clock.
     *
     * @return how many requests it was
     */
    int run() throws IOException;
  }

  /**
   * Lets each of them work on a thread of its own until the time is over.
   *
   * @param requestBytes bytes of every request
   * @param nanos how long; every thread does at least one batch and finishes its last
   * @throws IOException the first failure, when all have stopped
   */
  static Sample run(List<? extends Work> team, int requestBytes, long nanos) throws IOException {
    CyclicBarrier start = new CyclicBarrier(team.size());
    List<Member> members = new ArrayList<>();
    for (Work work : team) {
      members.add(new Member(work, start, nanos));
    }
    List<Thread> threads = members.stream().map(member -> new Thread(member, "jdm bench")).toList();
    threads.forEach(Thread::start);
    boolean interrupted = false;
    for (Thread thread : threads) {
      interrupted |= joinUninterruptibly(thread);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return sum(members, requestBytes);
  }

  private static boolean joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        return interrupted;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  private static Sample sum(List<Member> members, int requestBytes) throws IOException {
    long zero = members.get(0).begun;
    long first = 0;
    long last = 0;
    long requests = 0;
    double cpuRate = 0;
    long allocated = 0;
    for (Member member : members) {
      member.rethrow();
      first = Math.min(first, member.begun - zero);
      last = Math.max(last, member.ended - zero);
      requests += member.requests;
      allocated += member.allocated;
      cpuRate += (double) member.requests * requestBytes * 1e9 / Math.max(1, member.cpuNanos);
    }
    return new Sample(requests * requestBytes, requests, last - first, cpuRate, allocated);
  }

  private static final class Member implements Runnable {
    private final Work work;
    private final CyclicBarrier start;
    private final long nanos;
    private long begun;
    private long ended;
    private long cpuNanos;
    private long allocated;
    private long requests;
    private Throwable failure;

    Member(Work work, CyclicBarrier start, long nanos) {
      this.work = work;
      this.start = start;
      this.nanos = nanos;
    }

    @Override
    public void run() {
      try {
        start.await();
        long before = Allocations.ofThisThread();
        long cpu = THREADS.getCurrentThreadCpuTime();
        begun = System.nanoTime();
        do {
          requests += work.run();
          ended = System.nanoTime();
        } while (ended - begun < nanos);
        cpuNanos = THREADS.getCurrentThreadCpuTime() - cpu;
        allocated = Allocations.ofThisThread() - before;
      } catch (InterruptedException | BrokenBarrierException e) {
        throw new IllegalStateException("nobody interrupts these threads", e);
      } catch (Throwable t) {
        failure = t;
      }
    }

    void rethrow() throws IOException {
      if (failure instanceof IOException e) {
        throw e;
      }
      if (failure != null) {
        throw new IllegalStateException(failure);
      }
    }
  }
}
