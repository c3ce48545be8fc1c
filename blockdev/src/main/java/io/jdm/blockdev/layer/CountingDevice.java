package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests that reach the device below, by operation, and their bytes. */
public final class CountingDevice extends LayerDevice {
  private final Map<Operation, LongAdder> requests = adders();
  private final Map<Operation, LongAdder> bytes = adders();

  private CountingDevice(BlockDevice below) {
    super(below);
  }

  /** A device that counts from zero. */
  public static CountingDevice of(BlockDevice below) {
    return new CountingDevice(below);
  }

  private static Map<Operation, LongAdder> adders() {
    Map<Operation, LongAdder> adders = new EnumMap<>(Operation.class);
    for (Operation operation : Operation.values()) {
      adders.put(operation, new LongAdder());
    }
    return adders;
  }

  /** How many requests of this kind were passed on, failed ones included. */
  public long requests(Operation operation) {
    return requests.get(operation).sum();
  }

  /** How many bytes those requests asked for; 0 for flushes. */
  public long bytes(Operation operation) {
    return bytes.get(operation).sum();
  }

  @Override
  public String describe() {
    return "counted " + below.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    count(Operation.READ, dst.remaining());
    super.doRead(offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    count(Operation.WRITE, src.remaining());
    super.doWrite(offset, src);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    count(Operation.WRITE_FUA, src.remaining());
    super.doWriteFua(offset, src);
  }

  @Override
  protected void doFlush() throws IOException {
    count(Operation.FLUSH, 0);
    super.doFlush();
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    count(Operation.DISCARD, length);
    super.doDiscard(offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    count(Operation.WRITE_ZEROES, length);
    super.doWriteZeroes(offset, length);
  }

  private void count(Operation operation, long length) {
    requests.get(operation).increment();
    bytes.get(operation).add(length);
  }
}
