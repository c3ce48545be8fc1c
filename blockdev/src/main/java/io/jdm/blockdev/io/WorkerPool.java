package io.jdm.blockdev.io;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Worker threads that help a caller with the pieces of one large request, as kcryptd helps
 * dm-crypt. The caller works too, so a pool without a free thread only means less help: nothing
 * waits for a thread, and nothing can deadlock on nesting.
 *
 * <p>Threads start when first needed, are daemons, carry the pool's name, leave after ten idle
 * seconds and are never interrupted (an interrupt would close a file channel for everybody). The
 * queue is bounded; what does not fit is done by its caller, which is the back-pressure.
 */
public final class WorkerPool implements AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(10);
  private static final int SPINS = 2_000;

  private static final System.Logger LOGGER = System.getLogger(WorkerPool.class.getName());

  private final ThreadPoolExecutor threads;

  /** One piece of a request. */
  @FunctionalInterface
  public interface Piece {
    /**
     * Does piece {@code index}. Runs on the caller's thread or a worker's, each index once.
     *
     * @param index 0 up to the number of pieces - 1; pieces are taken in this order, but run side
     *     by side
     */
    void run(int index) throws IOException;
  }

  /**
   * @param name of every thread, as the kernel names them: {@code kcryptd/NAME}
   * @param workers threads beside the caller; 0 makes the caller do everything
   * @param priority of the threads, as in {@link Thread#setPriority}
   */
  public WorkerPool(String name, int workers, int priority) {
    this(name, workers, priority, IDLE);
  }

  /**
   * @param idle how long a thread waits for work before it leaves
   */
  WorkerPool(String name, int workers, int priority, Duration idle) {
    if (workers == 0) {
      threads = null;
      return;
    }
    threads =
        new ThreadPoolExecutor(
            workers,
            workers,
            idle.toNanos(),
            TimeUnit.NANOSECONDS,
            new ArrayBlockingQueue<>(16 * workers),
            task -> newThread(name, task, priority),
            new ThreadPoolExecutor.DiscardPolicy());
    threads.allowCoreThreadTimeOut(true);
  }

  /** A thread that keeps nothing of whoever happens to need it first. */
  private static Thread newThread(String name, Runnable task, int priority) {
    Thread thread = new Thread(null, task, name, 0, false);
    thread.setContextClassLoader(null);
    thread.setDaemon(true);
    thread.setPriority(priority);
    return thread;
  }

  /**
   * Threads beside the caller that leave the machine's processors busy: one less than there are, at
   * least one.
   */
  public static int defaultWorkers() {
    return Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
  }

  /**
   * Runs all pieces and returns when every one that was begun has ended. After a failure no further
   * piece is begun; the first failure is thrown, later ones are added to it as suppressed. The
   * caller's interrupt status is kept.
   */
  public void run(int pieces, Piece piece) throws IOException {
    if (pieces == 1 || threads == null) {
      for (int i = 0; i < pieces; i++) {
        piece.run(i);
      }
      return;
    }
    Job job = new Job(pieces, piece);
    int helpers = Math.min(threads.getMaximumPoolSize(), pieces - 1);
    try {
      for (int i = 0; i < helpers; i++) {
        threads.execute(job);
      }
    } catch (OutOfMemoryError e) {
      // The system has no thread left. The caller must not leave while others may be at its pieces.
      LOGGER.log(Level.WARNING, "no thread to help with large requests", e);
    }
    job.run();
    job.await();
    job.rethrow();
  }

  /**
   * Lets running pieces end and starts no new threads; requests made later are done by their
   * callers.
   */
  @Override
  public void close() {
    if (threads != null) {
      threads.shutdown();
    }
  }

  private static final class Job implements Runnable {
    private final int pieces;
    private final Piece piece;
    private final Thread caller = Thread.currentThread();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger unfinished;
    private volatile boolean failed;
    private Throwable failure;

    Job(int pieces, Piece piece) {
      this.pieces = pieces;
      this.piece = piece;
      this.unfinished = new AtomicInteger(pieces);
    }

    @Override
    public void run() {
      for (int i = next.getAndIncrement(); i < pieces; i = next.getAndIncrement()) {
        try {
          if (!failed) {
            piece.run(i);
          }
        } catch (Throwable t) {
          fail(t);
        }
        if (unfinished.decrementAndGet() == 0 && Thread.currentThread() != caller) {
          LockSupport.unpark(caller);
        }
      }
    }

    private synchronized void fail(Throwable t) {
      failed = true;
      if (failure == null) {
        failure = t;
      } else if (failure != t) {
        failure.addSuppressed(t);
      }
    }

    void await() {
      for (int i = 0; i < SPINS && unfinished.get() > 0; i++) {
        Thread.onSpinWait();
      }
      boolean interrupted = false;
      while (unfinished.get() > 0) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    synchronized void rethrow() throws IOException {
      if (failure instanceof IOException e) {
        throw e;
      }
      if (failure instanceof RuntimeException e) {
        throw e;
      }
      if (failure instanceof Error e) {
        throw e;
      }
      if (failure != null) {
        throw new IllegalStateException(
            "a piece threw a checked exception it does not declare", failure);
      }
    }
  }
}
