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
  static final int STREAMS = 16;

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
   * @return the stream that goes on here, or -1
   */
  int advance(long offset, long end, long limit) {
    if (maximumWindow == 0) {
      return -1;
    }
    int stream = find(offset, end);
    boolean goesOn = stream >= 0 || offset == 0;
    int window = stream < 0 ? 0 : windows.get(stream);
    if (stream < 0) {
      stream = replace.getAndIncrement() & (STREAMS - 1);
    }
    if (goesOn) {
      window = Math.min(maximumWindow, Math.max(INITIAL_WINDOW, 2 * window));
    }
    windows.set(stream, window);
    expected.set(stream, Math.min(limit, roundUp(Math.max(end, offset + window))));
    return goesOn ? stream : -1;
  }

  /** How many bytes to read for a stream from where it goes on. */
  int window(int stream) {
    return windows.get(stream);
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
