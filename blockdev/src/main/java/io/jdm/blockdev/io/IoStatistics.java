package io.jdm.blockdev.io;

import io.jdm.blockdev.Sectors;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters that Linux keeps for every disk and prints in {@code /proc/diskstats} (source:
 * Documentation/admin-guide/iostats.rst). Thread-safe; counting allocates nothing and threads do
 * not contend for a cache line.
 */
public final class IoStatistics {
  /** Kinds of requests that are counted apart. */
  public enum Kind {
    READ,
    WRITE,
    DISCARD,
    FLUSH
  }

  private final Map<Kind, Counters> counters = new EnumMap<>(Kind.class);
  private final LongAdder inFlight = new LongAdder();
  private final LongAdder busyMillis = new LongAdder();

  /** The millisecond up to which the busy time is accounted for. */
  private final AtomicLong stamp = new AtomicLong(millis(System.nanoTime()));

  /** What was counted for one kind of requests. */
  public record Counts(long requests, long merged, long sectors, long millis) {}

  /**
   * All counters at about one moment.
   *
   * @param inFlight requests that have begun and not ended
   * @param busyMillis time during which any request was in flight
   * @param weightedMillis time of all requests added up, the ended ones
   */
  public record Snapshot(
      Counts read,
      Counts write,
      Counts discard,
      Counts flush,
      long inFlight,
      long busyMillis,
      long weightedMillis) {}

  /** Creates counters at zero. */
  public IoStatistics() {
    for (Kind kind : Kind.values()) {
      counters.put(kind, new Counters());
    }
  }

  /**
   * A request begins.
   *
   * @return its start, to be given to {@link #end}
   */
  public long begin() {
    long now = System.nanoTime();
    account(millis(now), false);
    inFlight.increment();
    return now;
  }

  /**
   * The request ended, whether or not it succeeded.
   *
   * @param start what {@link #begin} returned
   * @param length in bytes
   */
  public void end(Kind kind, long start, long length) {
    long now = System.nanoTime();
    Counters counted = counters.get(kind);
    counted.requests.increment();
    counted.bytes.add(length);
    counted.nanos.add(now - start);
    account(millis(now), true);
    inFlight.decrement();
  }

  /** A request was made one with its neighbour before it was passed on. */
  public void merged(Kind kind) {
    counters.get(kind).merged.increment();
  }

  /** As the kernel does it: whoever sees a new millisecond accounts for those since the last. */
  private void account(long now, boolean ending) {
    long last = stamp.get();
    if (now > last && stamp.compareAndSet(last, now) && (ending || inFlight.sum() > 0)) {
      busyMillis.add(now - last);
    }
  }

  /** Reads all counters. */
  public Snapshot snapshot() {
    account(millis(System.nanoTime()), false);
    long weighted = 0;
    for (Counters counted : counters.values()) {
      weighted += counted.nanos.sum();
    }
    return new Snapshot(
        counts(Kind.READ),
        counts(Kind.WRITE),
        counts(Kind.DISCARD),
        counts(Kind.FLUSH),
        inFlight.sum(),
        busyMillis.sum(),
        TimeUnit.NANOSECONDS.toMillis(weighted));
  }

  private Counts counts(Kind kind) {
    Counters counted = counters.get(kind);
    return new Counts(
        counted.requests.sum(),
        counted.merged.sum(),
        Sectors.fromBytes(counted.bytes.sum()),
        TimeUnit.NANOSECONDS.toMillis(counted.nanos.sum()));
  }

  private static long millis(long nanos) {
    return Math.floorDiv(nanos, 1_000_000L);
  }

  /** What is counted for one kind of requests. */
  private static final class Counters {
    final LongAdder requests = new LongAdder();
    final LongAdder merged = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder nanos = new LongAdder();
  }
}
