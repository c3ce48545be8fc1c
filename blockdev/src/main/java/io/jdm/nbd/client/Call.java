package io.jdm.nbd.client;

import io.jdm.blockdev.Errno;
import io.jdm.nbd.Command;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A place for one request in flight, used again and again. Its caller fills it, sends it and waits;
 * whoever reads replies fills in the outcome and sets {@link #done} last.
 */
final class Call {
  /** Low bits of a cookie that tell the place; the others tell its uses apart. */
  static final int INDEX_BITS = 8;

  private final int index;
  private long uses;

  Command command;
  long cookie;
  long offset;
  int length;

  /** Where the data of a read goes, or null. */
  ByteBuffer dst;

  /** Index in {@link #dst} of the first byte. */
  int dstStart;

  /** Bytes of data that came. */
  int received;

  /** What the server says failed, or null. */
  Errno errno;

  String message;

  /** Why there will be no reply, or null. */
  IOException lost;

  /** The extent that block status found: its length, and its bits. */
  long extentLength;

  int extentState;

  Thread caller;

  /** Whether the request was sent and the caller waits. */
  volatile boolean waiting;

  volatile boolean done = true;

  Call(int index) {
    this.index = index;
  }

  void prepare(Command newCommand, long newOffset, int newLength, ByteBuffer newDst) {
    command = newCommand;
    cookie = ++uses << INDEX_BITS | index;
    offset = newOffset;
    length = newLength;
    dst = newDst;
    dstStart = newDst == null ? 0 : newDst.position();
    received = 0;
    errno = null;
    message = "";
    lost = null;
    extentLength = 0;
    caller = Thread.currentThread();
    waiting = false;
    done = false;
  }

  /** Lets go of what belongs to the caller. */
  void release() {
    dst = null;
    lost = null;
    caller = null;
    waiting = false;
  }

  /** Whether its data is better not read along with the headers. */
  boolean isLarge(int threshold) {
    return dst != null && length > threshold;
  }
}
