package io.jdm.nbd.server;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.nbd.Command;
import io.jdm.nbd.CommandFlag;
import io.jdm.nbd.NbdException;
import io.jdm.nbd.Reply;
import io.jdm.nbd.Request;
import io.jdm.nbd.transport.Input;
import io.jdm.nbd.transport.Transport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Serves the requests of one connection.
 *
 * <p>One of the connection's threads at a time holds the input: it reads requests, many with one
 * system call, and serves small ones itself, gathering the replies until there is no further
 * request to serve. A request that takes long - a large one, a flush, any if the device proves to
 * be slow - is taken along: the thread lets the next one have the input and then serves it. So fast
 * requests cost no hand-over, and slow ones run side by side. Nothing is queued: every thread has
 * at most one request, and when all are busy the client's bytes wait in the socket.
 */
final class Transmission {
  /** Payloads up to this many bytes are served from the input buffer and the batch of replies. */
  static final int SMALL = 64 * 1024;

  /** Bytes of a thread's buffer: larger requests are served in pieces. */
  static final int PIECE = 1 << 20;

  /** Bytes of a chunk of a large structured read: the client takes one while the next is read. */
  static final int CHUNK = 256 * 1024;

  private static final int PAGE = 4096;

  /** Nanoseconds for a small request from which on the device counts as slow, and not any more. */
  private static final int SLOW = 60_000;

  private static final int FAST = 30_000;

  /** Weight of the last request's time in the average is 1 / 2^this. */
  private static final int AVERAGE_SHIFT = 3;

  /** Most extents of one reply; with its header they fit the smallest buffer. */
  private static final int MAX_EXTENTS = 4096;

  /** Most questions to the device for one request for block status. */
  private static final int MAX_EXTENT_QUERIES = 16 * 1024;

  private static final long IDLE_SECONDS = 5;

  private final Transport transport;
  private final BlockDevice device;
  private final boolean structured;
  private final boolean allocation;
  private final NbdServer server;
  private final String threadName;

  private final ReentrantLock output = new ReentrantLock();

  private final ReentrantLock input = new ReentrantLock();
  // With the input held:
  private final Input in;
  private final ReplyBatch batch;
  private final Request request = new Request();
  private boolean ended;

  // With this object's lock held:
  private int threads;

  private volatile int averageNanos;
  private volatile boolean slow;

  /**
   * @param in what the client sends
   * @param batch for replies
   * @param allocation whether block status was negotiated
   */
  Transmission(
      Transport transport,
      BlockDevice device,
      boolean structured,
      boolean allocation,
      Input in,
      ReplyBatch batch,
      NbdServer server,
      String threadName) {
    this.transport = transport;
    this.device = device;
    this.structured = structured;
    this.allocation = allocation;
    this.in = in;
    this.batch = batch;
    this.server = server;
    this.threadName = threadName;
  }

  /**
   * Serves until the client has gone and everything in flight is done. Called once, by the
   * connection's first thread.
   */
  void run() throws IOException {
    threads = 1;
    try {
      work(true);
    } finally {
      awaitOthers();
    }
  }

  private synchronized void awaitOthers() {
    threads--;
    while (threads > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        // Threads of the server are not interrupted by anyone.
      }
    }
  }

  private void workAlong() {
    try {
      work(false);
    } catch (IOException | RuntimeException | Error e) {
      server.connectionFailed(e);
      abort();
    } finally {
      server.releaseThread();
      synchronized (this) {
        threads--;
        notifyAll();
      }
    }
  }

  /** Nothing more can be sent or received. */
  private void abort() {
    try {
      transport.close();
    } catch (IOException e) {
      server.connectionFailed(e);
    }
  }

  private void work(boolean first) throws IOException {
    try (Scratch scratch = new Scratch()) {
      while (takeInput(first)) {
        boolean taken;
        try {
          taken = !ended && receive(scratch);
          ended |= !taken;
        } catch (IOException | RuntimeException | Error e) {
          ended = true;
          throw e;
        } finally {
          input.unlock();
        }
        if (!taken) {
          return;
        }
        serve(scratch);
      }
    } catch (IOException | RuntimeException | Error e) {
      abort();
      throw e;
    }
  }

  /** Waits for the input; threads beyond the first give up after a while. */
  private boolean takeInput(boolean first) {
    if (first) {
      input.lock();
      return true;
    }
    while (true) {
      try {
        return input.tryLock(IDLE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        // Threads of the server are not interrupted by anyone.
      }
    }
  }

  /** Whether another thread will take the input when this one leaves it; starts it if need be. */
  private boolean canLeaveInput() {
    if (input.hasQueuedThreads()) {
      return true;
    }
    synchronized (this) {
      if (threads >= server.limits().threads() || !server.acquireThread()) {
        return false;
      }
      threads++;
    }
    try {
      Thread thread = new Thread(this::workAlong, threadName);
      thread.setDaemon(true);
      thread.start();
      return true;
    } catch (OutOfMemoryError e) {
      server.releaseThread();
      synchronized (this) {
        threads--;
      }
      return false;
    }
  }

  /**
   * Serves requests until one is better served without the input.
   *
   * @return true if there is such a request in the scratch, false if the client has gone
   */
  private boolean receive(Scratch scratch) throws IOException {
    while (need(Request.SIZE)) {
      request.decode(in.buffer(), in.position());
      in.consume(Request.SIZE);
      Command command = request.command();
      if (command == Command.DISC) {
        break;
      }
      long payload = command == Command.WRITE ? request.length() : 0;
      in.expectLarge(payload > SMALL);
      Refusal refusal = refusal(command);
      if (refusal != null) {
        refuse(payload, refusal.errno, request + ": " + refusal.reason);
      } else if (!slow
          && request.length() <= SMALL
          && (command == Command.READ || command == Command.WRITE)) {
        serveSmall(command);
      } else if (takeAlong(scratch, payload)) {
        sendBatch();
        return true;
      }
    }
    sendBatch();
    return false;
  }

  /**
   * Puts the request into the scratch, with its payload, and serves it if no other thread can have
   * the input meanwhile.
   *
   * @return whether it is still to be served
   */
  private boolean takeAlong(Scratch scratch, long payload) throws IOException {
    scratch.request.set(request);
    try {
      scratch.reserve();
    } catch (DeviceException e) {
      refuse(payload, e.errno(), e.getMessage());
      return false;
    }
    if (payload > PIECE) {
      sendBatch();
      writePieces(scratch);
      return false;
    }
    if (payload > 0) {
      if (!in.has((int) payload)) {
        sendBatch();
      }
      in.read(scratch.payload((int) payload));
    }
    if (canLeaveInput()) {
      return true;
    }
    sendBatch();
    serve(scratch);
    return false;
  }

  /** Makes so many bytes of input be there; what is to be sent is sent before waiting for them. */
  private boolean need(int length) throws IOException {
    if (in.has(length)) {
      return true;
    }
    sendBatch();
    return in.fill(length);
  }

  private void makeRoom(int data) throws IOException {
    if (!batch.hasRoom(data)) {
      sendBatch();
    }
  }

  private void sendBatch() throws IOException {
    if (!batch.isEmpty()) {
      output.lock();
      try {
        batch.send(transport);
      } finally {
        output.unlock();
      }
    }
  }

  // Refusals.

  private record Refusal(Errno errno, String reason) {}

  /** What is wrong with the request, or null. */
  private Refusal refusal(Command command) {
    if (command == null) {
      return new Refusal(Errno.EINVAL, "unknown command");
    }
    if (!command.takes(request.flags())) {
      return new Refusal(Errno.EINVAL, "a flag that this command does not take");
    }
    if (command == Command.FLUSH) {
      return null;
    }
    boolean changes =
        command == Command.WRITE || command == Command.TRIM || command == Command.WRITE_ZEROES;
    Set<Capability> capabilities = device.capabilities();
    if (changes && !capabilities.contains(Capability.WRITE)) {
      return new Refusal(Errno.EPERM, "the export is read-only");
    }
    long size = device.size();
    long offset = request.offset();
    if (offset < 0 || offset > size || request.length() > size - offset) {
      return new Refusal(
          command == Command.WRITE || command == Command.WRITE_ZEROES ? Errno.ENOSPC : Errno.EINVAL,
          "outside the export of " + size + " bytes");
    }
    boolean carriesData = command == Command.READ || command == Command.WRITE;
    if (carriesData && request.length() > Export.MAXIMUM_PAYLOAD) {
      return new Refusal(
          Errno.EINVAL, "longer than the maximum of " + Export.MAXIMUM_PAYLOAD + " bytes");
    }
    if (request.has(CommandFlag.DF) && !structured) {
      return new Refusal(Errno.EINVAL, "DF without structured replies");
    }
    if (request.has(CommandFlag.DF) && request.length() > PIECE) {
      return new Refusal(Errno.EOVERFLOW, "too long for one chunk of " + PIECE + " bytes");
    }
    if (command == Command.TRIM && !capabilities.contains(Capability.DISCARD)) {
      return new Refusal(Errno.EINVAL, "the export does not take TRIM");
    }
    if (command == Command.BLOCK_STATUS && !allocation) {
      return new Refusal(Errno.EINVAL, "no meta context was negotiated");
    }
    if (command == Command.BLOCK_STATUS && request.length() == 0) {
      return new Refusal(Errno.EINVAL, "block status of nothing");
    }
    if (request.has(CommandFlag.FAST_ZERO)
        && (request.has(CommandFlag.NO_HOLE) || !capabilities.contains(Capability.FAST_ZERO))) {
      return new Refusal(Errno.EOPNOTSUPP, "zeros would have to be written");
    }
    return null;
  }

  /** Answers with an error, after dropping the payload that comes all the same. */
  private void refuse(long payload, Errno errno, String message) throws IOException {
    if (payload > 0) {
      sendBatch();
      in.skip(payload);
    }
    makeRoom(0);
    batch.addError(request.cookie(), errno, message);
  }

  // What is done with the input held.

  /** Does a small read or write from the input into the batch. */
  private void serveSmall(Command command) throws IOException {
    int length = (int) request.length();
    long cookie = request.cookie();
    if (command == Command.WRITE) {
      if (length > 0 && !need(length)) {
        throw new NbdException("connection ended before a payload");
      }
      makeRoom(0);
      IOException failure = writeFromInput(length);
      if (failure == null) {
        batch.addDone(cookie);
      } else {
        batch.addError(cookie, DeviceException.errnoOf(failure), failure.getMessage());
      }
    } else if (length == 0) {
      makeRoom(0);
      batch.addNoData(cookie);
    } else {
      makeRoom(length);
      IOException failure = readIntoBatch(length);
      if (failure == null) {
        batch.addData(cookie, request.offset(), length);
      } else {
        batch.addError(cookie, DeviceException.errnoOf(failure), failure.getMessage());
      }
    }
  }

  private IOException readIntoBatch(int length) {
    long start = System.nanoTime();
    try {
      device.read(request.offset(), batch.data(length));
      return null;
    } catch (IOException e) {
      return e;
    } finally {
      measure(System.nanoTime() - start);
    }
  }

  private IOException writeFromInput(int length) {
    ByteBuffer payload = in.buffer().limit(in.position() + length).position(in.position());
    long start = System.nanoTime();
    try {
      write(request, payload);
      return null;
    } catch (IOException e) {
      return e;
    } finally {
      measure(System.nanoTime() - start);
      in.buffer().clear();
      in.consume(length);
    }
  }

  /** Receives and writes a payload that is longer than a thread's buffer. */
  private void writePieces(Scratch scratch) throws IOException {
    long left = request.length();
    long offset = request.offset();
    IOException failure = null;
    while (left > 0 && failure == null) {
      int piece = (int) Math.min(PIECE, left);
      in.read(scratch.payload(piece));
      left -= piece;
      try {
        device.write(offset, scratch.payload(piece));
        offset += piece;
        if (left == 0 && request.has(CommandFlag.FUA)) {
          device.flush();
        }
      } catch (IOException e) {
        failure = e;
      }
    }
    in.skip(left);
    reply(scratch, failure);
  }

  /** Notes how long the device took for a small request. */
  private void measure(long nanos) {
    int sample = (int) Math.min(nanos, 8 * SLOW);
    int average = averageNanos;
    average += (sample - average) >> AVERAGE_SHIFT;
    averageNanos = average;
    if (slow ? average < FAST : average > SLOW) {
      slow = !slow;
    }
  }

  private void write(Request of, ByteBuffer data) throws IOException {
    if (of.has(CommandFlag.FUA)) {
      device.writeFua(of.offset(), data);
    } else {
      device.write(of.offset(), data);
    }
  }

  // What is done without the input.

  private void serve(Scratch scratch) throws IOException {
    Request taken = scratch.request;
    if (taken.command() == Command.READ && taken.length() > 0) {
      read(scratch);
      return;
    }
    if (taken.command() == Command.BLOCK_STATUS) {
      blockStatus(scratch);
      return;
    }
    IOException failure = null;
    try {
      change(scratch);
    } catch (IOException e) {
      failure = e;
    }
    reply(scratch, failure);
  }

  /** Does everything but reads. */
  private void change(Scratch scratch) throws IOException {
    Request taken = scratch.request;
    int length = (int) Math.min(PIECE, taken.length());
    switch (taken.command()) {
      case READ -> {}
      case WRITE -> {
        long start = System.nanoTime();
        write(taken, scratch.payload(length));
        if (length <= SMALL) {
          measure(System.nanoTime() - start);
        }
      }
      case FLUSH -> device.flush();
      case TRIM -> {
        device.discard(taken.offset(), taken.length());
        flushIfAsked(taken);
      }
      case WRITE_ZEROES -> {
        writeZeroes(scratch);
        flushIfAsked(taken);
      }
      case CACHE -> cache(scratch);
      default -> throw new IllegalStateException("taken along: " + taken);
    }
  }

  private void flushIfAsked(Request taken) throws IOException {
    if (taken.has(CommandFlag.FUA)) {
      device.flush();
    }
  }

  private void writeZeroes(Scratch scratch) throws IOException {
    Request taken = scratch.request;
    boolean punches = device.capabilities().contains(Capability.FAST_ZERO);
    if (!punches || !taken.has(CommandFlag.NO_HOLE)) {
      device.writeZeroes(taken.offset(), taken.length());
      return;
    }
    BufferPool.zero(scratch.payload(SMALL).slice());
    long done = 0;
    while (done < taken.length()) {
      int piece = (int) Math.min(SMALL, taken.length() - done);
      device.write(taken.offset() + done, scratch.payload(piece));
      done += piece;
    }
  }

  /** Reads what the client will want, so that it gets into the caches below. */
  private void cache(Scratch scratch) throws IOException {
    Request taken = scratch.request;
    long done = 0;
    while (done < taken.length()) {
      int piece = (int) Math.min(SMALL, taken.length() - done);
      device.read(taken.offset() + done, scratch.payload(piece));
      done += piece;
    }
  }

  /**
   * Tells what is allocated. Neighbours that are alike become one extent, which may take several
   * questions to the device; their number is limited, and the client asks again for the rest.
   */
  private void blockStatus(Scratch scratch) throws IOException {
    Request taken = scratch.request;
    int most = taken.has(CommandFlag.REQ_ONE) ? 1 : MAX_EXTENTS;
    ByteBuffer out = scratch.reply(0, 0);
    out.limit(out.capacity());
    int first = Reply.BLOCK_STATUS;
    int extents = 0;
    long done = 0;
    long start = 0;
    Extent.State state = null;
    try {
      for (int i = 0; i < MAX_EXTENT_QUERIES && done < taken.length(); i++) {
        Extent extent = device.extent(taken.offset() + done, taken.length() - done);
        if (extent.state() != state) {
          if (extents == most) {
            break;
          }
          extents++;
          state = extent.state();
          start = done;
        }
        done += extent.length();
        Reply.putExtent(
            out, first + (extents - 1) * Reply.EXTENT, (int) (done - start), wireState(state));
      }
    } catch (IOException e) {
      reply(scratch, e);
      return;
    }
    Reply.putBlockStatus(out, 0, taken.cookie(), extents);
    send(out.limit(first + extents * Reply.EXTENT).position(0));
  }

  private static int wireState(Extent.State state) {
    return switch (state) {
      case DATA -> 0;
      case ZERO -> Reply.STATE_ZERO;
      case HOLE -> Reply.STATE_HOLE | Reply.STATE_ZERO;
    };
  }

  /** Reads and sends, in chunks where the client takes them. */
  private void read(Scratch scratch) throws IOException {
    Request taken = scratch.request;
    boolean chunks = sendsChunks(taken);
    long length = taken.length();
    long done = 0;
    while (done < length) {
      int piece = (int) Math.min(chunks ? CHUNK : PIECE, length - done);
      long offset = taken.offset() + done;
      long start = System.nanoTime();
      try {
        device.read(offset, scratch.payload(piece));
      } catch (IOException e) {
        if (done > 0 && !structured) {
          throw new IOException("a read failed after its reply had begun", e);
        }
        reply(scratch, e);
        return;
      }
      if (length <= SMALL) {
        measure(System.nanoTime() - start);
      }
      boolean first = done == 0;
      done += piece;
      ByteBuffer out;
      if (structured) {
        out = scratch.reply(Reply.DATA_CHUNK, piece);
        Reply.putData(out, out.position(), done == length, taken.cookie(), offset, piece);
      } else {
        out = scratch.reply(first ? Reply.SIMPLE : 0, piece);
        if (first) {
          Reply.putSimple(out, out.position(), null, taken.cookie());
        }
      }
      send(out);
    }
  }

  private boolean sendsChunks(Request read) {
    return structured && !read.has(CommandFlag.DF);
  }

  private void reply(Scratch scratch, IOException failure) throws IOException {
    Request taken = scratch.request;
    ByteBuffer out = scratch.reply(0, 0);
    int at = 0;
    int length = Reply.SIMPLE;
    if (failure != null && structured) {
      length =
          Reply.putError(
              out, at, taken.cookie(), DeviceException.errnoOf(failure), failure.getMessage());
    } else if (taken.command() == Command.READ && structured) {
      Reply.putNone(out, at, taken.cookie());
      length = Reply.CHUNK;
    } else {
      Errno errno = failure == null ? null : DeviceException.errnoOf(failure);
      Reply.putSimple(out, at, errno, taken.cookie());
    }
    send(out.limit(length).position(at));
  }

  private void send(ByteBuffer out) throws IOException {
    output.lock();
    try {
      transport.write(out);
    } finally {
      output.unlock();
    }
  }

  /** What a thread has for the request that it serves: a page for headers, then the data. */
  private final class Scratch implements AutoCloseable {
    final Request request = new Request();
    private BufferPool.Lease lease;

    /** Makes the buffer large enough for a piece of the request. */
    void reserve() throws DeviceException {
      long largest =
          switch (request.command()) {
            case READ -> sendsChunks(request) ? CHUNK : PIECE;
            case WRITE -> PIECE;
            default -> SMALL;
          };
      BufferPool pool = server.buffers((int) Math.min(largest, request.length()));
      if (lease != null && lease.buffer().capacity() >= pool.size()) {
        return;
      }
      close();
      try {
        lease = pool.lease();
      } catch (OutOfMemoryError e) {
        throw new DeviceException(Errno.ENOMEM, "no memory for a request", e);
      }
    }

    /** The memory for so many bytes of data. */
    ByteBuffer payload(int length) {
      return lease.buffer().limit(PAGE + length).position(PAGE);
    }

    /** The data that {@link #payload} gave, with so many bytes before it for a header. */
    ByteBuffer reply(int header, int length) {
      return lease.buffer().limit(PAGE + length).position(PAGE - header);
    }

    @Override
    public void close() {
      if (lease != null) {
        lease.wipeAndClose();
        lease = null;
      }
    }
  }
}
