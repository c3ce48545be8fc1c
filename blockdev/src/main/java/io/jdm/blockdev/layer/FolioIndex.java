package io.jdm.blockdev.layer;

import java.util.concurrent.locks.StampedLock;

/**
 * Finds folios by number: a chained hash table of fixed size. {@link #find} takes no lock unless it
 * races with a change, allocates nothing, and its answer was exact at some moment during the call.
 * The second matters: from "not here" the caller concludes that the device below has the newest
 * data.
 */
final class FolioIndex {
  private final StampedLock lock = new StampedLock();
  private final Folio[] buckets;

  /**
   * @param folios how many there will be at most
   */
  FolioIndex(int folios) {
    buckets = new Folio[Integer.highestOneBit(folios) * 2];
  }

  /** The folio of this number, or null. */
  Folio find(long number) {
    long stamp = lock.tryOptimisticRead();
    Folio found = search(number);
    if (lock.validate(stamp)) {
      return found;
    }
    stamp = lock.readLock();
    try {
      return search(number);
    } finally {
      lock.unlockRead(stamp);
    }
  }

  /** Moves the folio from its old number, which may be {@link Folio#NONE}, to a new one. */
  void renumber(Folio folio, long number) {
    long stamp = lock.writeLock();
    try {
      if (folio.number != Folio.NONE) {
        unlink(folio);
      }
      folio.number = number;
      if (number != Folio.NONE) {
        int bucket = bucket(number);
        folio.next = buckets[bucket];
        buckets[bucket] = folio;
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  private Folio search(long number) {
    Folio folio = buckets[bucket(number)];
    // A racing change can bend the chain, even into a ring; the caller's validation finds out.
    for (int i = 0; i < buckets.length && folio != null; i++, folio = folio.next) {
      if (folio.number == number) {
        return folio;
      }
    }
    return null;
  }

  private void unlink(Folio folio) {
    int bucket = bucket(folio.number);
    if (buckets[bucket] == folio) {
      buckets[bucket] = folio.next;
    } else {
      Folio before = buckets[bucket];
      while (before.next != folio) {
        before = before.next;
      }
      before.next = folio.next;
    }
    folio.next = null;
  }

  private int bucket(long number) {
    return (int) number & (buckets.length - 1);
  }
}
