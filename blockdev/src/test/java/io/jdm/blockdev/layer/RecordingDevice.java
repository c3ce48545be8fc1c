package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Remembers the requests that reach the device below, and can hold writes up. Does not close the
 * device below, so that tests can look at it afterwards.
 */
final class RecordingDevice extends LayerDevice {
  private final List<Request> requests = new ArrayList<>();
  private volatile CountDownLatch gate = new CountDownLatch(0);

  /** A request that was passed on. */
  record Request(Operation operation, long offset, int length) {}

  RecordingDevice(BlockDevice below) {
    super(below);
  }

  /** The requests of one kind so far, in order. */
  synchronized List<Request> requests(Operation operation) {
    return requests.stream().filter(request -> request.operation == operation).toList();
  }

  synchronized void forget() {
    requests.clear();
  }

  /** Writes wait from now on until {@link #openGate()}. */
  void shutGate() {
    gate = new CountDownLatch(1);
  }

  void openGate() {
    gate.countDown();
  }

  @Override
  public String describe() {
    return "recorded " + below.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    record(Operation.READ, offset, dst.remaining());
    super.doRead(offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    record(Operation.WRITE, offset, src.remaining());
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new AssertionError("an interrupt came down with a write", e);
    }
    super.doWrite(offset, src);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    record(Operation.WRITE_FUA, offset, src.remaining());
    super.doWriteFua(offset, src);
  }

  @Override
  protected void doFlush() throws IOException {
    record(Operation.FLUSH, 0, 0);
    super.doFlush();
  }

  @Override
  protected void doClose() {}

  private synchronized void record(Operation operation, long offset, int length) {
    requests.add(new Request(operation, offset, length));
  }
}
