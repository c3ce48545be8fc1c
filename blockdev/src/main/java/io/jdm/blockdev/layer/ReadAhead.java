package io.jdm.blockdev.layer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Recognises sequential streams, several at once, and says how far ahead of each to read. A stream
 * is known by where its next miss is expected; its window doubles each time it goes on there, up to
 * the maximum. Without locks: racing readers can at worst make a window smaller.
 */
final class ReadAhead {
  private static final int STREAMS = 16;
  private static final int INITIAL_WINDOW = 128 * 1024;
  private static final long NOWHERE = -1;

  private final int maximumWindow;
  private final int unit;
  private final AtomicLongArray expected = new AtomicLongArray(STREAMS);
  private final AtomicIntegerArray windows = new AtomicIntegerArray(STREAMS);
  private final AtomicInteger replace = new AtomicInteger();

  /**
   * @param maximumWindow bytes to read ahead at most; 0 for never
   * @param unit bytes at whose multiples reads from below end
   */
  ReadAhead(int maximumWindow, int unit) {
    this.maximumWindow = maximumWindow;
    this.unit = unit;
    for (int i = 0; i < STREAMS; i++) {
      expected.set(i, NOWHERE);
    }
  }

  /**
   * A reader wants bytes that were not yet read for it. The start of the device begins a stream at
   * once.
   *
   * @param offset of the first byte wanted
   * @param end of the bytes wanted
   * @param limit end of what will be read for it now; a multiple of the unit
   * @return how many bytes to read from {@code offset} on, or 0 if it belongs to no stream
   */
  int advance(long offset, long end, long limit) {
    if (maximumWindow == 0) {
      return 0;
    }
    int stream = find(offset, end);
    int window = stream < 0 ? 0 : windows.get(stream);
    if (stream >= 0 || offset == 0) {
      window = Math.min(maximumWindow, Math.max(INITIAL_WINDOW, 2 * window));
    }
    if (stream < 0) {
      stream = replace.getAndIncrement() & (STREAMS - 1);
    }
    windows.set(stream, window);
    expected.set(stream, Math.min(limit, roundUp(Math.max(end, offset + window))));
    return window;
  }

  private int find(long offset, long end) {
    long last = Math.max(end - 1, roundUp(offset));
    for (int i = 0; i < STREAMS; i++) {
      long next = expected.get(i);
      if (offset <= next && next <= last) {
        return i;
      }
    }
    return -1;
  }

  private long roundUp(long offset) {
    return (offset + unit - 1) & -unit;
  }
}
