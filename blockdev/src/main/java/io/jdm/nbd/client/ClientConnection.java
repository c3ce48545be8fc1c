package io.jdm.nbd.client;

import io.jdm.blockdev.Errno;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.nbd.ChunkType;
import io.jdm.nbd.Command;
import io.jdm.nbd.ExportInfo;
import io.jdm.nbd.NbdException;
import io.jdm.nbd.Reply;
import io.jdm.nbd.Request;
import io.jdm.nbd.transport.Input;
import io.jdm.nbd.transport.Transport;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One connection to an export, after the handshake. Callers send their requests one after the other
 * and wait together: one of them reads replies for all until its own has come, then the next does.
 * So a lone caller needs no other thread, and data goes straight to the buffer it is for.
 *
 * <p>When the connection breaks, every request in flight ends with {@link LostException} and so do
 * all later ones. Only the thread that reads says so: until then the buffers may still be filled.
 */
final class ClientConnection {
  /** Most requests in flight; more wait. */
  static final int MAX_IN_FLIGHT = 64;

  /** Data of reads up to this size is read along with the headers of replies. */
  private static final int SMALL = 16 * 1024;

  private static final int INPUT = 64 * 1024 + 4096;

  /** The JDK copies heap buffers through a direct one of the same size: this bounds it. */
  private static final int HEAP_PIECE = 128 * 1024;

  private static final int MAX_TEXT = 4096;
  private static final int MAX_BLOCK_STATUS = Integer.BYTES + 4096 * Reply.EXTENT;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 * 1024);

  /** The connection is gone; whether the server did the request is not known. */
  static final class LostException extends IOException {
    private static final long serialVersionUID = 1L;

    LostException(IOException cause) {
      super(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
      initCause(cause);
    }
  }

  private final Transport transport;
  private final ExportInfo export;
  private final boolean structured;
  private final int allocationId;

  private final Call[] calls = new Call[MAX_IN_FLIGHT];
  private final Semaphore free = new Semaphore(MAX_IN_FLIGHT);

  /** Indexes of free calls, used as a stack with its own lock. */
  private final int[] freeCalls = new int[MAX_IN_FLIGHT];

  private int freeCount;

  private final ReentrantLock sending = new ReentrantLock();
  private final ByteBuffer header = ByteBuffer.allocateDirect(Request.SIZE);
  private final ByteBuffer[] pieces = new ByteBuffer[2];

  private final AtomicBoolean reading = new AtomicBoolean();
  // By the thread that reads:
  private final Input in;
  private final Reply reply = new Reply();

  private volatile IOException lost;

  /**
   * @param transport after the handshake
   * @param structured whether replies to reads come in chunks
   * @param allocationId the id of base:allocation in block status, -1 without it
   */
  ClientConnection(Transport transport, ExportInfo export, boolean structured, int allocationId) {
    this.transport = transport;
    this.export = export;
    this.structured = structured;
    this.allocationId = allocationId;
    this.in = new Input(transport, BufferPool.allocateAligned(INPUT));
    for (int i = 0; i < MAX_IN_FLIGHT; i++) {
      calls[i] = new Call(i);
      freeCalls[i] = i;
    }
    freeCount = MAX_IN_FLIGHT;
  }

  ExportInfo export() {
    return export;
  }

  /** Whether it can still be used, as far as is known. */
  boolean isAlive() {
    return lost == null;
  }

  /** Whether the server tells what is allocated. */
  boolean knowsAllocation() {
    return allocationId >= 0;
  }

  /** Requests that were begun and have not ended. */
  int inFlight() {
    return MAX_IN_FLIGHT - free.availablePermits();
  }

  /** How a request ended that the server answered: success, or what it says failed. */
  record Outcome(Errno errno, String message, long extentLength, int extentState) {
    /** The outcome of nearly all requests, so that they allocate none. */
    static final Outcome DONE = new Outcome(null, "", 0, 0);
  }

  /**
   * Does one request.
   *
   * @param src data of a write, taken up to its limit, else null
   * @param dst where the data of a read goes, filled up to its limit, else null
   * @throws LostException if there will be no answer; the positions of the buffers are undefined
   */
  Outcome execute(
      Command command, int flags, long offset, int length, ByteBuffer src, ByteBuffer dst)
      throws LostException {
    free.acquireUninterruptibly();
    Call call = takeCall();
    try {
      call.prepare(command, offset, length, dst);
      send(call, flags, src);
      await(call);
      if (call.lost != null) {
        throw new LostException(call.lost);
      }
      if (dst != null) {
        dst.position(call.dstStart + length);
      }
      return call.errno == null && call.extentLength == 0
          ? Outcome.DONE
          : new Outcome(call.errno, call.message, call.extentLength, call.extentState);
    } finally {
      call.release();
      giveBack(call);
      free.release();
    }
  }

  private synchronized Call takeCall() {
    return calls[freeCalls[--freeCount]];
  }

  private synchronized void giveBack(Call call) {
    freeCalls[freeCount++] = (int) call.cookie & (1 << Call.INDEX_BITS) - 1;
  }

  /** A failure to send closes the transport; the thread that reads then tells everybody. */
  private void send(Call call, int flags, ByteBuffer src) {
    sending.lock();
    try {
      Request.encode(header, 0, flags, call.command, call.cookie, call.offset, call.length);
      header.clear();
      if (src == null) {
        transport.write(header);
      } else if (src.isDirect()) {
        pieces[0] = header;
        pieces[1] = src;
        transport.write(pieces, 2);
      } else {
        transport.write(header);
        int limit = src.limit();
        while (src.position() < limit) {
          src.limit(Math.min(limit, src.position() + HEAP_PIECE));
          transport.write(src);
        }
      }
    } catch (IOException e) {
      fail(e);
    } finally {
      pieces[1] = null;
      sending.unlock();
    }
  }

  private void await(Call call) {
    call.waiting = true;
    boolean interrupted = false;
    while (!call.done) {
      if (reading.compareAndSet(false, true)) {
        try {
          readUntilDone(call);
        } finally {
          reading.set(false);
          wakeNextReader();
        }
      } else {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void wakeNextReader() {
    for (Call call : calls) {
      if (call.waiting && !call.done) {
        Thread caller = call.caller;
        if (caller != null) {
          LockSupport.unpark(caller);
          return;
        }
      }
    }
  }

  private void readUntilDone(Call own) {
    try {
      while (!own.done) {
        receive();
      }
    } catch (IOException e) {
      fail(e);
      // Those who are still sending find out when they come to wait.
      for (Call call : calls) {
        if (call.waiting && !call.done) {
          call.lost = lost;
          finish(call);
        }
      }
    }
  }

  private void fail(IOException e) {
    synchronized (this) {
      if (lost == null) {
        lost = e;
      }
    }
    close();
  }

  private static void finish(Call call) {
    Thread caller = call.caller;
    call.done = true;
    if (caller != Thread.currentThread()) {
      LockSupport.unpark(caller);
    }
  }

  /** Reads one simple reply or one chunk. */
  private void receive() throws IOException {
    if (lost != null) {
      throw lost;
    }
    in.expectLarge(expectsLarge());
    need(Reply.SIMPLE);
    int size = Reply.headerSize(in.buffer(), in.position());
    need(size);
    reply.decode(in.buffer(), in.position());
    in.consume(size);
    Call call = find(reply.cookie());
    if (reply.isStructured()) {
      receiveChunk(call);
    } else {
      receiveSimple(call);
    }
    if (reply.isDone()) {
      finish(call);
    }
  }

  private boolean expectsLarge() {
    for (Call call : calls) {
      if (!call.done && call.isLarge(SMALL)) {
        return true;
      }
    }
    return false;
  }

  private void need(int length) throws IOException {
    if (!in.has(length) && !in.fill(length)) {
      throw new EOFException("the server closed the connection");
    }
  }

  private Call find(long cookie) throws NbdException {
    int index = (int) cookie & (1 << Call.INDEX_BITS) - 1;
    Call call = index < MAX_IN_FLIGHT ? calls[index] : null;
    if (call == null || call.done || call.cookie != cookie) {
      throw new NbdException("reply has cookie 0x%x, which no request has".formatted(cookie));
    }
    return call;
  }

  private void receiveSimple(Call call) throws IOException {
    if (reply.error() != 0) {
      call.errno = Reply.errno(reply.error());
      return;
    }
    if (call.dst != null) {
      if (structured) {
        throw new NbdException("reply to a read is a simple one, expected chunks");
      }
      readData(call, 0, call.length);
    }
  }

  private void receiveChunk(Call call) throws IOException {
    if (!structured) {
      throw new NbdException("reply is a chunk, but no structured replies were negotiated");
    }
    ChunkType type = reply.type();
    if (type == null) {
      throw new NbdException("chunk is of the unknown type " + reply.typeNumber());
    }
    long length = reply.length();
    switch (type) {
      case NONE -> {
        if (length != 0 || !reply.isDone()) {
          throw new NbdException("chunk without content has " + length + " bytes or is not last");
        }
      }
      case OFFSET_DATA -> {
        expect(call.dst != null && length > Long.BYTES, "data", length);
        readData(call, chunkOffset(call, length - Long.BYTES), length - Long.BYTES);
      }
      case OFFSET_HOLE -> {
        expect(call.dst != null && length == Long.BYTES + Integer.BYTES, "hole", length);
        receiveHole(call);
      }
      case BLOCK_STATUS -> {
        expect(
            call.command == Command.BLOCK_STATUS
                && length >= Integer.BYTES + Reply.EXTENT
                && length <= MAX_BLOCK_STATUS
                && (length - Integer.BYTES) % Reply.EXTENT == 0,
            "block status",
            length);
        receiveBlockStatus(call, (int) length);
      }
      case ERROR -> receiveError(call, length, 0);
      case ERROR_OFFSET -> receiveError(call, length, Long.BYTES);
    }
    if (reply.isDone()) {
      checkComplete(call);
    }
  }

  private static void checkComplete(Call call) throws NbdException {
    if (call.errno != null) {
      return;
    }
    if (call.dst != null && call.received != call.length) {
      throw new NbdException(
          "reply to a read has " + call.received + " bytes, expected " + call.length);
    }
    if (call.command == Command.BLOCK_STATUS && call.extentLength == 0) {
      throw new NbdException("reply to block status has no extent");
    }
  }

  private void expect(boolean valid, String what, long length) throws NbdException {
    if (!valid) {
      throw new NbdException(
          "chunk of " + what + " is misplaced or malformed: " + length + " bytes");
    }
  }

  /** Reads the offset at the beginning of a chunk of data. */
  private int chunkOffset(Call call, long length) throws IOException {
    need(Long.BYTES);
    long offset = in.buffer().getLong(in.position());
    in.consume(Long.BYTES);
    return within(call, offset, length);
  }

  /** Where in the request data belongs. */
  private static int within(Call call, long offset, long length) throws NbdException {
    long from = offset - call.offset;
    if (from < 0 || from > call.length || length > call.length - from) {
      throw new NbdException(
          "chunk of "
              + length
              + " bytes at "
              + Long.toUnsignedString(offset)
              + " is outside the request of "
              + call.length
              + " bytes at "
              + call.offset);
    }
    return (int) from;
  }

  private void readData(Call call, int from, long length) throws IOException {
    count(call, length);
    ByteBuffer dst = call.dst;
    int start = call.dstStart + from;
    int end = start + (int) length;
    int limit = dst.limit();
    int piece = dst.isDirect() ? (int) length : HEAP_PIECE;
    try {
      for (int at = start; at < end; at += piece) {
        in.read(dst.limit(Math.min(end, at + piece)).position(at));
      }
    } finally {
      dst.limit(limit);
    }
  }

  private static void count(Call call, long length) throws NbdException {
    if (length > call.length - call.received) {
      throw new NbdException("reply to a read has more than the " + call.length + " bytes asked");
    }
    call.received += (int) length;
  }

  private void receiveHole(Call call) throws IOException {
    need(Long.BYTES + Integer.BYTES);
    long offset = in.buffer().getLong(in.position());
    long length = in.buffer().getInt(in.position() + Long.BYTES) & 0xffff_ffffL;
    in.consume(Long.BYTES + Integer.BYTES);
    int at = call.dstStart + within(call, offset, length);
    count(call, length);
    int left = (int) length;
    while (left > 0) {
      int piece = Math.min(left, ZEROS.capacity());
      call.dst.put(at, ZEROS, 0, piece);
      at += piece;
      left -= piece;
    }
  }

  /** Keeps the first extent; the caller asks again for the rest. */
  private void receiveBlockStatus(Call call, int length) throws IOException {
    need(Integer.BYTES + Reply.EXTENT);
    ByteBuffer buffer = in.buffer();
    int at = in.position();
    int id = buffer.getInt(at);
    if (id != allocationId) {
      throw new NbdException("block status is of context " + id + ", expected " + allocationId);
    }
    call.extentLength = buffer.getInt(at + Integer.BYTES) & 0xffff_ffffL;
    call.extentState = buffer.getInt(at + 2 * Integer.BYTES);
    if (call.extentLength == 0) {
      throw new NbdException("block status has an extent of no bytes");
    }
    in.skip(length);
  }

  private void receiveError(Call call, long length, int more) throws IOException {
    int fixed = Integer.BYTES + Short.BYTES;
    expect(length >= fixed + more && length <= fixed + more + MAX_TEXT, "an error", length);
    need((int) length);
    ByteBuffer buffer = in.buffer();
    int at = in.position();
    int text = buffer.getShort(at + Integer.BYTES) & 0xffff;
    expect(text <= length - fixed - more, "an error", length);
    if (call.errno == null) {
      byte[] bytes = new byte[text];
      buffer.get(at + fixed, bytes);
      int error = buffer.getInt(at);
      call.errno = error == 0 ? Errno.EIO : Reply.errno(error);
      call.message = new String(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
    }
    in.consume((int) length);
  }

  /** Takes leave of the server, if it listens, and closes. */
  void disconnect() {
    if (isAlive() && inFlight() == 0 && sending.tryLock()) {
      try {
        Request.encode(header, 0, 0, Command.DISC, 0, 0, 0);
        transport.write(header.clear());
      } catch (IOException e) {
        // It has gone already.
      } finally {
        sending.unlock();
      }
    }
    fail(new EOFException("the device was closed"));
  }

  private void close() {
    try {
      transport.close();
    } catch (IOException e) {
      // Nothing is left that could be lost.
    }
  }
}
