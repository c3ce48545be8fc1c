package io.jdm.blockdev.layer;

import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides which requests a {@link FailingDevice} lets fail. Asked once for every request while it
 * is injected, by many threads at once.
 */
@FunctionalInterface
public interface Fault {
  /**
   * Whether this request fails.
   *
   * @param offset in bytes; 0 for a flush
   * @param length in bytes; 0 for a flush
   */
  boolean strikes(Operation operation, long offset, long length);

  /** Every operation. */
  static Set<Operation> anything() {
    return EnumSet.allOf(Operation.class);
  }

  /** The nth request among these kinds, once; the first is 1. */
  static Fault nth(long n, Set<Operation> operations) {
    AtomicLong seen = new AtomicLong();
    return (operation, offset, length) ->
        operations.contains(operation) && seen.incrementAndGet() == n;
  }

  /** Every request of these kinds that touches a range of bytes: a bad spot on the medium. */
  static Fault range(long start, long size, Set<Operation> operations) {
    return (operation, offset, length) ->
        operations.contains(operation) && offset < start + size && start < offset + length;
  }

  /**
   * Requests of these kinds by chance.
   *
   * @param probability from 0 to 1
   * @param seed that makes the choice repeatable (in one thread)
   */
  static Fault random(double probability, long seed, Set<Operation> operations) {
    Random random = new Random(seed);
    return (operation, offset, length) ->
        operations.contains(operation) && random.nextDouble() < probability;
  }
}
