package io.jdm.nbd.server;

import io.jdm.blockdev.Errno;
import io.jdm.nbd.Reply;
import io.jdm.nbd.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Replies that are gathered to be sent in one system call. The data of reads begins at page
 * boundaries, with the header right before it, so that the device reads into aligned memory and
 * nothing is copied. Not thread-safe: whoever holds the connection's input has it.
 */
final class ReplyBatch {
  private static final int PAGE = 4096;

  /** Most pieces of memory that one system call gathers. */
  private static final int MAX_PIECES = 64;

  private final boolean structured;
  private final ByteBuffer buffer;
  private final ByteBuffer[] pieces = new ByteBuffer[MAX_PIECES];
  private int count;
  private int end;

  /**
   * @param buffer page-aligned; the batch's while it is used
   */
  ReplyBatch(boolean structured, ByteBuffer buffer) {
    this.structured = structured;
    this.buffer = buffer;
    for (int i = 0; i < MAX_PIECES; i++) {
      pieces[i] = buffer.duplicate();
    }
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Whether another reply with so many bytes of data, or an error, fits. */
  boolean hasRoom(int data) {
    int need = Math.max(2 * PAGE + data, Reply.MAX_ERROR_CHUNK);
    return count < MAX_PIECES && buffer.capacity() - end >= need;
  }

  /** The memory for the data of a read, to be filled by the device before {@link #addData}. */
  ByteBuffer data(int length) {
    int at = dataIndex();
    return pieces[count].limit(at + length).position(at);
  }

  /** Adds the reply to a read whose data {@link #data} was filled. */
  void addData(long cookie, long offset, int length) {
    int at = dataIndex();
    int header = structured ? Reply.DATA_CHUNK : Reply.SIMPLE;
    if (structured) {
      Reply.putData(buffer, at - header, true, cookie, offset, length);
    } else {
      Reply.putSimple(buffer, at - header, null, cookie);
    }
    pieces[count++].limit(at + length).position(at - header);
    end = at + length;
  }

  private int dataIndex() {
    return (end + Reply.DATA_CHUNK + PAGE - 1) & -PAGE;
  }

  /** Adds a reply without data. */
  void addDone(long cookie) {
    Reply.putSimple(buffer, end, null, cookie);
    add(Reply.SIMPLE);
  }

  /** Adds the reply to a read of nothing. */
  void addNoData(long cookie) {
    if (structured) {
      Reply.putNone(buffer, end, cookie);
      add(Reply.CHUNK);
    } else {
      addDone(cookie);
    }
  }

  /** Adds a refusal or failure. */
  void addError(long cookie, Errno errno, String message) {
    if (structured) {
      add(Reply.putError(buffer, end, cookie, errno, message));
    } else {
      Reply.putSimple(buffer, end, errno, cookie);
      add(Reply.SIMPLE);
    }
  }

  private void add(int length) {
    if (count > 0 && pieces[count - 1].limit() == end) {
      pieces[count - 1].limit(end + length);
    } else {
      pieces[count++].limit(end + length).position(end);
    }
    end += length;
  }

  /** Sends everything and starts anew. */
  void send(Transport transport) throws IOException {
    transport.write(pieces, count);
    count = 0;
    end = 0;
  }
}
