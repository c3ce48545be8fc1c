package io.jdm.blockdev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.layer.FailingDevice;
import io.jdm.blockdev.layer.Fault;
import io.jdm.blockdev.layer.Operation;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every {@link BlockDevice} owes its callers. A subclass says how to open the device with some
 * content. If the device lies on another one, the contract is also run with failures of that one.
 *
 * <p>What a device cannot do is no reason to skip a test: those for writable, discarding or block
 * devices have nothing to show on others, and pass.
 */
@Timeout(120)
public abstract class BlockDeviceContract {
  /** Bytes of the devices: dozens of the largest blocks, and more than a few 64 KiB chunks. */
  protected static final int SIZE = 208 * 1024;

  private static final int THREADS = 4;
  private static final long SEED = 20261130;

  private final List<BlockDevice> devices = new ArrayList<>();
  private final Random random = new Random(SEED);

  /** Makes the device for a test. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Opens a device.
     *
     * @param content what it reads as; its length is the size
     * @param below put around the device at the bottom, once that has its content
     */
    BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException;
  }

  /** Opens the device under test, as {@link Opener#open} says. */
  protected abstract BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below)
      throws IOException;

  /** Whether there is another device at the bottom, which can be made to fail. */
  protected boolean liesOnAnotherDevice() {
    return true;
  }

  @AfterEach
  void closeDevices() throws IOException {
    for (BlockDevice device : devices) {
      device.close();
    }
  }

  // What it says about itself.

  @Test
  void tellsItsSizeLimitsAndNameAtAnyTime() throws IOException {
    BlockDevice device = openWith(randomBytes(SIZE));
    assertThat(device.size()).isEqualTo(SIZE);
    assertThat(device.limits()).isEqualTo(device.limits());
    assertThat(device.capabilities()).isEqualTo(device.capabilities());
    assertThat(device.describe()).isNotBlank();
    assertThat(device).hasToString(device.describe());
    assertThat(device.isOpen()).isTrue();
    device.close();
    assertThat(device.isOpen()).isFalse();
    assertThat(device.size()).isEqualTo(SIZE);
    assertThat(device.describe()).isNotBlank();
  }

  // Reading and writing.

  @Test
  void readsWhatIsThere() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
    for (int i = 0; i < 200; i++) {
      int offset = randomOffset(device);
      int length = randomLength(device, offset);
      assertThat(read(device, offset, length))
          .as("%d bytes at %d", length, offset)
          .isEqualTo(Arrays.copyOfRange(content, offset, offset + length));
    }
  }

  @Test
  void readsWhatWasWrittenInAnyOrder() throws IOException {
    BlockDevice device = openWith(new byte[SIZE]);
    if (!isWritable(device)) {
      return;
    }
    byte[] content = randomBytes(SIZE);
    int piece = 13 * blockOf(device) * Math.max(1, 512 / blockOf(device));
    for (int offset = (SIZE - 1) / piece * piece; offset >= 0; offset -= piece) {
      write(device, offset, Arrays.copyOfRange(content, offset, Math.min(SIZE, offset + piece)));
    }
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void readsIntoEveryKindOfBuffer() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    int block = blockOf(device);
    for (BufferKind kind : BufferKind.values()) {
      if (kind.isReadOnly()) {
        continue;
      }
      for (int length : new int[] {block, 3 * block, SIZE - block}) {
        ByteBuffer dst = kind.holding(new byte[length]);
        int limit = dst.limit();
        device.read(block, dst);
        assertThat(dst.position()).as("%s: position", kind).isEqualTo(limit);
        assertThat(dst.limit()).as("%s: limit", kind).isEqualTo(limit);
        assertThat(BufferKind.content(dst))
            .as("%s: content", kind)
            .isEqualTo(Arrays.copyOfRange(content, block, block + length));
        assertThat(BufferKind.guardsAreIntact(dst)).as("%s: guards", kind).isTrue();
      }
    }
  }

  @Test
  void writesFromEveryKindOfBufferAndLeavesItAlone() throws IOException {
    BlockDevice device = openWith(new byte[SIZE]);
    if (!isWritable(device)) {
      return;
    }
    int block = blockOf(device);
    for (BufferKind kind : BufferKind.values()) {
      for (int length : new int[] {block, 3 * block, SIZE - block}) {
        byte[] data = randomBytes(length);
        ByteBuffer src = kind.holding(data);
        int limit = src.limit();
        device.write(block, src);
        assertThat(src.position()).as("%s: position", kind).isEqualTo(limit);
        assertThat(src.limit()).as("%s: limit", kind).isEqualTo(limit);
        assertThat(BufferKind.content(src)).as("%s: source", kind).isEqualTo(data);
        assertThat(BufferKind.guardsAreIntact(src)).as("%s: guards", kind).isTrue();
        assertThat(read(device, block, length)).as("%s: written", kind).isEqualTo(data);
      }
    }
  }

  @Test
  void zeroLengthIsDoneAtOnce() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    ByteBuffer empty = ByteBuffer.allocate(0);
    device.read(0, empty);
    device.read(SIZE, empty);
    if (isWritable(device)) {
      device.write(SIZE, empty);
      device.writeFua(0, empty);
      device.writeZeroes(SIZE, 0);
    }
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void flushesAndWritesThrough() throws IOException {
    BlockDevice device = openWith(new byte[SIZE]);
    if (!isWritable(device)) {
      return;
    }
    int block = blockOf(device);
    byte[] content = randomBytes(SIZE);
    write(device, 0, Arrays.copyOf(content, SIZE - block));
    device.flush();
    ByteBuffer tail = ByteBuffer.wrap(content, SIZE - block, block).asReadOnlyBuffer();
    device.writeFua(SIZE - block, tail);
    assertThat(tail.remaining()).isZero();
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
    device.flush();
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void writesZeroesWhereAskedAndNowhereElse() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content.clone());
    if (!isWritable(device)) {
      return;
    }
    for (int i = 0; i < 50; i++) {
      int offset = randomOffset(device);
      int length = randomLength(device, offset);
      device.writeZeroes(offset, length);
      Arrays.fill(content, offset, offset + length, (byte) 0);
      if (i % 8 == 0) {
        assertThat(read(device, 0, SIZE)).isEqualTo(content);
        content = randomBytes(SIZE);
        write(device, 0, content);
      }
    }
    device.writeZeroes(0, SIZE);
    assertThat(read(device, 0, SIZE)).isEqualTo(new byte[SIZE]);
  }

  @Test
  void whatItCallsZeroReadsAsZero() throws IOException {
    byte[] content = new byte[SIZE];
    byte[] some = randomBytes(SIZE / 4);
    System.arraycopy(some, 0, content, SIZE / 2, some.length);
    BlockDevice device = openWith(content);
    assertExtentsAreTrue(device);
    if (isWritable(device)) {
      write(device, 0, randomBytes(SIZE));
      for (int i = 0; i < 20; i++) {
        int offset = randomOffset(device);
        device.writeZeroes(offset, randomLength(device, offset));
        assertExtentsAreTrue(device);
      }
    }
  }

  private static void assertExtentsAreTrue(BlockDevice device) throws IOException {
    byte[] content = read(device, 0, SIZE);
    for (int start : new int[] {0, 5 * blockOf(device)}) {
      int at = start;
      while (at < SIZE) {
        Extent extent = device.extent(at, SIZE - at);
        assertThat(extent.length()).isBetween((long) blockOf(device), (long) SIZE - at);
        int end = at + (int) extent.length();
        if (extent.isZero()) {
          assertThat(Arrays.copyOfRange(content, at, end))
              .as("%s at %d: %s", extent, at, device)
              .containsOnly(0);
        }
        at = end;
      }
    }
  }

  @Test
  void discardsWhatIsAskedAndNothingElse() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content.clone());
    if (!isWritable(device) || !device.capabilities().contains(Capability.DISCARD)) {
      return;
    }
    for (int i = 0; i < 50; i++) {
      int offset = randomOffset(device);
      int length = randomLength(device, offset);
      device.discard(offset, length);
      byte[] now = read(device, 0, SIZE);
      System.arraycopy(now, offset, content, offset, length);
      assertThat(now).isEqualTo(content);
    }
    write(device, 0, content);
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  // What it refuses.

  @Test
  void refusesToDiscardIfItCannot() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    if (!isWritable(device) || device.capabilities().contains(Capability.DISCARD)) {
      return;
    }
    assertRefused(device, Errno.EOPNOTSUPP, () -> device.discard(0, SIZE));
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void refusesWhatIsNotInside() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    int block = blockOf(device);
    long huge = Long.MAX_VALUE & -block;
    for (long offset : new long[] {SIZE, SIZE - block, -block, huge, huge - block, -huge}) {
      ByteBuffer buffer = ByteBuffer.allocate(2 * block);
      assertRefused(device, Errno.EINVAL, () -> device.read(offset, buffer));
      assertRefused(device, Errno.EINVAL, () -> device.extent(offset, huge));
      assertThat(buffer.position()).isZero();
      if (isWritable(device)) {
        assertRefused(device, Errno.EINVAL, () -> device.write(offset, buffer));
        assertRefused(device, Errno.EINVAL, () -> device.writeFua(offset, buffer));
        assertRefused(device, Errno.EINVAL, () -> device.writeZeroes(offset, huge));
        assertRefused(device, Errno.EINVAL, () -> device.discard(offset, huge));
        assertThat(buffer.position()).isZero();
      }
    }
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void refusesPartsOfBlocks() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    int block = blockOf(device);
    if (block == 1) {
      return;
    }
    ByteBuffer whole = ByteBuffer.allocate(block);
    ByteBuffer part = ByteBuffer.allocate(block - 1);
    assertRefused(device, Errno.EINVAL, () -> device.read(1, whole));
    assertRefused(device, Errno.EINVAL, () -> device.read(0, part));
    if (isWritable(device)) {
      assertRefused(device, Errno.EINVAL, () -> device.write(block / 2, whole));
      assertRefused(device, Errno.EINVAL, () -> device.writeFua(block, part));
      assertRefused(device, Errno.EINVAL, () -> device.writeZeroes(0, block + 1));
      assertRefused(device, Errno.EINVAL, () -> device.discard(1, block));
    }
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void refusesChangesIfItIsReadOnly() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    if (isWritable(device)) {
      return;
    }
    assertRefused(device, Errno.EPERM, () -> device.write(0, ByteBuffer.allocate(SIZE)));
    assertRefused(device, Errno.EPERM, () -> device.writeFua(0, ByteBuffer.allocate(SIZE)));
    assertRefused(device, Errno.EPERM, () -> device.writeZeroes(0, SIZE));
    assertRefused(device, Errno.EPERM, () -> device.discard(0, SIZE));
    device.flush();
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void refusesEverythingOnceClosed() throws IOException {
    BlockDevice device = openWith(randomBytes(SIZE));
    device.close();
    device.close();
    ByteBuffer buffer = ByteBuffer.allocate(SIZE);
    assertRefused(device, Errno.ENODEV, () -> device.read(0, buffer));
    assertRefused(device, Errno.ENODEV, () -> device.write(0, buffer));
    assertRefused(device, Errno.ENODEV, () -> device.writeFua(0, buffer));
    assertRefused(device, Errno.ENODEV, () -> device.writeZeroes(0, SIZE));
    assertRefused(device, Errno.ENODEV, () -> device.discard(0, SIZE));
    assertRefused(device, Errno.ENODEV, device::flush);
    assertRefused(device, Errno.ENODEV, () -> device.extent(0, SIZE));
    assertThat(buffer.position()).isZero();
  }

  // Threads.

  @Test
  void writersOfDifferentRangesDoNotDisturbEachOther() throws Exception {
    BlockDevice device = openWith(new byte[SIZE]);
    if (!isWritable(device)) {
      return;
    }
    int stripe = Math.max(blockOf(device), 200);
    byte[] content = randomBytes(SIZE);
    Threads.runTogether(
        THREADS,
        thread -> {
          for (int offset = thread * stripe; offset < SIZE; offset += THREADS * stripe) {
            int end = Math.min(SIZE, offset + stripe);
            write(device, offset, Arrays.copyOfRange(content, offset, end));
            assertThat(read(device, offset, end - offset))
                .isEqualTo(Arrays.copyOfRange(content, offset, end));
          }
        });
    assertThat(read(device, 0, SIZE)).isEqualTo(content);
  }

  @Test
  void overlappingWritersLeaveEachBlockAsOneOfThemWroteIt() throws Exception {
    BlockDevice device = openWith(new byte[SIZE]);
    if (!isWritable(device)) {
      return;
    }
    int block = blockOf(device);
    int range = 32 * Math.max(block, 64);
    for (int round = 0; round < 8; round++) {
      Threads.runTogether(
          THREADS,
          thread -> {
            byte[] data = new byte[range];
            Arrays.fill(data, (byte) (thread + 1));
            write(device, (long) thread * block, data);
          });
      byte[] content = read(device, 0, range);
      for (int start = (THREADS - 1) * block; start < range; start += block) {
        byte writer = content[start];
        assertThat(writer).isBetween((byte) 1, (byte) THREADS);
        for (int i = start; i < start + block; i++) {
          assertThat(content[i])
              .as("byte %d of the block at %d", i - start, start)
              .isEqualTo(writer);
        }
      }
    }
  }

  @Test
  void anInterruptedCallerIsServedAndStaysInterrupted() throws IOException {
    byte[] content = randomBytes(SIZE);
    BlockDevice device = openWith(content);
    try {
      Thread.currentThread().interrupt();
      assertThat(read(device, 0, SIZE)).isEqualTo(content);
      assertThat(Thread.currentThread().isInterrupted()).as("after a read").isTrue();
      if (isWritable(device)) {
        byte[] data = randomBytes(SIZE);
        write(device, 0, data);
        assertThat(Thread.currentThread().isInterrupted()).as("after a write").isTrue();
        device.writeFua(0, ByteBuffer.wrap(data));
        assertThat(Thread.currentThread().isInterrupted()).as("after a FUA write").isTrue();
        assertThat(read(device, 0, SIZE)).isEqualTo(data);
        if (device.capabilities().contains(Capability.DISCARD)) {
          device.discard(0, SIZE);
          assertThat(Thread.currentThread().isInterrupted()).as("after a discard").isTrue();
        }
        device.writeZeroes(0, SIZE);
        assertThat(Thread.currentThread().isInterrupted()).as("after write-zeroes").isTrue();
        assertThat(read(device, 0, SIZE)).isEqualTo(new byte[SIZE]);
      }
      device.flush();
      assertThat(Thread.currentThread().isInterrupted()).as("after a flush").isTrue();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    read(device, 0, SIZE);
  }

  // Everything together.

  @Test
  void behavesLikeAnArrayOfBytes() throws IOException {
    byte[] model = randomBytes(SIZE);
    BlockDevice device = openWith(model.clone());
    if (!isWritable(device)) {
      return;
    }
    boolean discards = device.capabilities().contains(Capability.DISCARD);
    for (int step = 0; step < 1000; step++) {
      int offset = randomOffset(device);
      int length = randomLength(device, offset);
      String what = "seed %d, step %d: %d bytes at %d".formatted(SEED, step, length, offset);
      switch (random.nextInt(discards ? 8 : 7)) {
        case 0, 1, 2 ->
            assertThat(read(device, offset, length))
                .as(what)
                .isEqualTo(Arrays.copyOfRange(model, offset, offset + length));
        case 3, 4 -> {
          byte[] data = randomBytes(length);
          write(device, offset, data);
          System.arraycopy(data, 0, model, offset, length);
        }
        case 5 -> {
          byte[] data = randomBytes(length);
          device.writeFua(offset, ByteBuffer.wrap(data));
          System.arraycopy(data, 0, model, offset, length);
        }
        case 6 -> {
          device.writeZeroes(offset, length);
          Arrays.fill(model, offset, offset + length, (byte) 0);
        }
        default -> {
          device.discard(offset, length);
          System.arraycopy(read(device, offset, length), 0, model, offset, length);
        }
      }
      if (random.nextInt(50) == 0) {
        device.flush();
      }
    }
    assertThat(read(device, 0, SIZE)).as("seed %d, at the end", SEED).isEqualTo(model);
  }

  // Failures below.

  @Test
  void aFailureOfAnyOperationBelowIsReportedAndSurvived() throws IOException {
    if (!liesOnAnotherDevice()) {
      return;
    }
    int n = 1;
    while (survivesFailure(n, false)) {
      n++;
    }
    assertThat(n).as("operations below, and one").isGreaterThan(1);
  }

  @Test
  void aTornWriteBelowIsReportedAndSurvived() throws IOException {
    if (!liesOnAnotherDevice()) {
      return;
    }
    int n = 1;
    while (survivesFailure(n, true)) {
      n++;
    }
  }

  /** Lets the nth request below fail; false if there were less. */
  private boolean survivesFailure(int n, boolean torn) throws IOException {
    byte[] content = randomBytes(SIZE);
    FailingDevice[] failing = new FailingDevice[1];
    BlockDevice device = keep(open(content.clone(), below -> failing[0] = FailingDevice.of(below)));
    int block = blockOf(device);
    // Requests touch the first half only. Where they begin and end inside a block, if they may.
    int odd = block > 1 ? block : 700;
    int touched = SIZE / 2;
    Fault fault =
        torn
            ? Fault.nth(n, Set.of(Operation.WRITE, Operation.WRITE_FUA))
            : Fault.nth(n, Fault.anything());
    if (torn) {
      failing[0].injectTorn(fault);
    } else {
      failing[0].inject(fault);
    }
    List<Throwable> failures = new ArrayList<>();
    byte[] expected = content.clone();
    attempt(failures, () -> read(device, odd, touched - odd));
    attempt(failures, device::flush);
    if (isWritable(device)) {
      byte[] data = randomBytes(touched - 2 * odd);
      System.arraycopy(data, 0, expected, odd, data.length);
      attempt(failures, () -> write(device, odd, data));
      attempt(failures, device::flush);
      attempt(failures, () -> device.writeFua(2L * odd, ByteBuffer.wrap(data, 0, odd)));
      attempt(failures, () -> device.writeZeroes(odd, 3L * odd));
      if (device.capabilities().contains(Capability.DISCARD)) {
        attempt(failures, () -> device.discard(odd, touched - 2L * odd));
      }
      attempt(failures, () -> write(device, odd, data));
      attempt(failures, () -> read(device, 0, touched));
      attempt(failures, device::flush);
    }
    failing[0].heal();
    for (Throwable failure : failures) {
      assertThat(failure).as("operation %d below failed", n).isInstanceOf(IOException.class);
      assertThat(DeviceException.errnoOf((IOException) failure)).isEqualTo(Errno.EIO);
      assertThat(failure).hasMessageContaining("injected failure");
    }
    if (failures.isEmpty()) {
      // Whether nothing failed or nobody needed it (a read ahead): then nothing is missing either.
      assertThat(read(device, 0, SIZE)).isEqualTo(expected);
    }
    assertThat(read(device, touched, SIZE - touched))
        .as("after operation %d below failed, what nobody wrote to", n)
        .isEqualTo(Arrays.copyOfRange(content, touched, SIZE));
    if (isWritable(device)) {
      byte[] again = randomBytes(SIZE);
      write(device, 0, again);
      device.flush();
      assertThat(read(device, 0, SIZE)).isEqualTo(again);
    }
    device.close();
    return failing[0].failures() > 0;
  }

  private static void attempt(List<Throwable> failures, ThrowingCallable call) {
    Throwable failure = catchThrowable(call);
    if (failure != null) {
      failures.add(failure);
    }
  }

  // Helpers.

  private BlockDevice openWith(byte[] content) throws IOException {
    return keep(open(content, UnaryOperator.identity()));
  }

  private BlockDevice keep(BlockDevice device) {
    devices.add(device);
    return device;
  }

  private static boolean isWritable(BlockDevice device) {
    return device.capabilities().contains(Capability.WRITE);
  }

  private static int blockOf(BlockDevice device) {
    return device.limits().logicalBlockSize();
  }

  private byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Anywhere, but often at a boundary of something. */
  private int randomOffset(BlockDevice device) {
    int block = random.nextInt(3) == 0 ? Math.max(4096, blockOf(device)) : blockOf(device);
    return random.nextInt(SIZE / block) * block;
  }

  /** At least a block from there on; mostly short, now and then up to the end. */
  private int randomLength(BlockDevice device, int offset) {
    int block = blockOf(device);
    int longest = random.nextInt(8) == 0 ? SIZE - offset : Math.min(SIZE - offset, 10_000 + block);
    return (1 + random.nextInt(longest / block)) * block;
  }

  private static byte[] read(BlockDevice device, long offset, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocateDirect(length);
    device.read(offset, dst);
    byte[] bytes = new byte[length];
    dst.flip().get(bytes);
    return bytes;
  }

  private static void write(BlockDevice device, long offset, byte[] data) throws IOException {
    device.write(offset, ByteBuffer.allocateDirect(data.length).put(data).flip());
  }

  private static void assertRefused(BlockDevice device, Errno errno, ThrowingCallable call) {
    DeviceException refusal = catchThrowableOfType(DeviceException.class, call);
    assertThat(refusal).as("a refusal").isNotNull();
    assertThat(refusal.errno()).isEqualTo(errno);
    assertThat(refusal).hasMessageEndingWith(device.describe());
  }
}
