package io.jdm.mapper;

import static org.awaitility.Awaitility.await;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** A call in a thread of its own, for tests that must see it wait. */
record Running<T>(Thread thread, FutureTask<T> task) {
  /** Starts a call. */
  static <T> Running<T> start(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "test call");
    thread.setDaemon(true);
    thread.start();
    return new Running<>(thread, task);
  }

  /** Returns when the call waits for something; fails if it ends instead. */
  Running<T> untilItWaits() {
    await()
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .until(
            () -> {
              if (task.isDone()) {
                throw new AssertionError("did not wait but ended: " + task.get());
              }
              Thread.State state = thread.getState();
              return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
            });
    return this;
  }

  /** What the call returned or threw, as soon as it ends. */
  T result() throws Exception {
    try {
      return task.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }
}
