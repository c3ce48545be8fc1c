package io.jdm.blockdev.layer;

import java.util.Arrays;

/**
 * One bit for each block of a folio. Unlike {@link java.util.BitSet} it never resizes, so that a
 * lock-free reader that races with a writer gets a wrong answer (and finds out) but never an
 * exception.
 */
final class BlockMap {
  private final long[] words;
  private final int size;

  /** All clear. */
  BlockMap(int size) {
    this.size = size;
    this.words = new long[(size + Long.SIZE - 1) / Long.SIZE];
  }

  boolean get(int block) {
    return ((words[block >> 6] >>> block) & 1) != 0;
  }

  void set(int block) {
    words[block >> 6] |= 1L << block;
  }

  /** Sets {@code from} (inclusive) to {@code to} (exclusive); both at most the size. */
  void set(int from, int to) {
    for (int at = from; at < to; at = (at | 63) + 1) {
      words[at >> 6] |= mask(at, to);
    }
  }

  /** Clears {@code from} (inclusive) to {@code to} (exclusive). */
  void clear(int from, int to) {
    for (int at = from; at < to; at = (at | 63) + 1) {
      words[at >> 6] &= ~mask(at, to);
    }
  }

  void clear() {
    Arrays.fill(words, 0);
  }

  /** Keeps only what is set in both. */
  void retain(BlockMap other, int from, int to) {
    for (int at = from; at < to; at = (at | 63) + 1) {
      words[at >> 6] &= other.words[at >> 6] | ~mask(at, to);
    }
  }

  /** The first set block from {@code from} on, or the size. */
  int nextSet(int from) {
    return next(from, 0);
  }

  /** The first clear block from {@code from} on, or the size. */
  int nextClear(int from) {
    return next(from, -1L);
  }

  private int next(int from, long flip) {
    if (from >= size) {
      return size;
    }
    int word = from >> 6;
    long bits = (words[word] ^ flip) & (-1L << from);
    while (bits == 0) {
      if (++word == words.length) {
        return size;
      }
      bits = words[word] ^ flip;
    }
    return Math.min(size, (word << 6) + Long.numberOfTrailingZeros(bits));
  }

  /** The bits of the word of {@code from} that lie in the range. */
  private static long mask(int from, int to) {
    long high = (from | 63) < to ? -1L : -1L >>> -to;
    return high & (-1L << from);
  }
}
