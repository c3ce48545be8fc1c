package io.jdm.nbd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.layer.CountingDevice;
import io.jdm.blockdev.layer.FailingDevice;
import io.jdm.blockdev.layer.Fault;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.blockdev.layer.Operation;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.RawClient;
import io.jdm.nbd.Served;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and their replies, byte by byte: spec/nbd.md section 2. */
@Timeout(60)
class TransmissionTest {
  private static final int READ = 0;
  private static final int WRITE = 1;
  private static final int DISC = 2;
  private static final int FLUSH = 3;
  private static final int TRIM = 4;
  private static final int CACHE = 5;
  private static final int WRITE_ZEROES = 6;
  private static final int BLOCK_STATUS = 7;

  private static final int FUA = 1;
  private static final int NO_HOLE = 2;
  private static final int DF = 4;
  private static final int REQ_ONE = 8;
  private static final int FAST_ZERO = 16;

  private static final int EPERM = 1;
  private static final int EIO = 5;
  private static final int EINVAL = 22;
  private static final int ENOSPC = 28;
  private static final int EOVERFLOW = 75;
  private static final int ENOTSUP = 95;

  private static final int SIZE = 4 << 20;

  private final byte[] content = new byte[SIZE];
  private final CountingDevice counting = CountingDevice.of(MemoryDevice.ofSize(SIZE));
  private final FailingDevice failing = FailingDevice.of(counting);
  private Served served;

  private RawClient connect(boolean structured) throws IOException {
    return connect(structured, failing);
  }

  private RawClient connect(boolean structured, BlockDevice device) throws IOException {
    new Random(1).nextBytes(content);
    device.write(0, ByteBuffer.wrap(content, 0, (int) Math.min(SIZE, device.size())));
    served = Served.device(device);
    return RawClient.transmitting(served.socket(), structured);
  }

  @AfterEach
  void close() throws IOException {
    if (served != null) {
      served.close();
    }
  }

  private byte[] slice(int from, int length) {
    return Arrays.copyOfRange(content, from, from + length);
  }

  private static byte[] read(BlockDevice device, int offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    device.read(offset, ByteBuffer.wrap(bytes));
    return bytes;
  }

  // Reads.

  @ParameterizedTest
  @ValueSource(ints = {1, 512, 4096, 65_536, 65_537, 1 << 20, (1 << 20) + 1, SIZE - 3})
  void aReadIsAnsweredByASimpleReplyAndItsData(int length) throws IOException {
    try (RawClient client = connect(false)) {
      client.request(0, READ, 0x1122334455667788L, 3, length);
      assertThat(client.simpleReply(0x1122334455667788L)).isZero();
      byte[] data = new byte[length];
      client.in.readFully(data);
      assertThat(data).isEqualTo(slice(3, length));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 512, 4096, 65_536, 65_537, 1 << 20, (1 << 20) + 1, SIZE - 3})
  void aStructuredReadIsAnsweredByChunksThatCoverIt(int length) throws IOException {
    try (RawClient client = connect(true)) {
      client.request(0, READ, 7, 3, length);
      byte[] data = readChunks(client, 7, 3, length);
      assertThat(data).isEqualTo(slice(3, length));
    }
  }

  private static byte[] readChunks(RawClient client, long cookie, long offset, int length)
      throws IOException {
    byte[] data = new byte[length];
    boolean[] covered = new boolean[length];
    RawClient.Chunk chunk;
    do {
      chunk = client.chunk();
      assertThat(chunk.cookie()).isEqualTo(cookie);
      assertThat(chunk.type()).isEqualTo(1);
      int at = (int) (chunk.buffer().getLong() - offset);
      int n = chunk.payload().length - 8;
      assertThat(n).isPositive();
      System.arraycopy(chunk.payload(), 8, data, at, n);
      for (int i = at; i < at + n; i++) {
        assertThat(covered[i]).as("byte %d comes once", i).isFalse();
        covered[i] = true;
      }
    } while (!chunk.done());
    assertThat(covered).doesNotContain(false);
    return data;
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 65_536, 1 << 20})
  void aReadThatMustNotBeFragmentedIsOneChunk(int length) throws IOException {
    try (RawClient client = connect(true)) {
      client.request(DF, READ, 7, 0, length);
      RawClient.Chunk chunk = client.chunk();
      assertThat(chunk.done()).isTrue();
      assertThat(chunk.type()).isEqualTo(1);
      assertThat(chunk.payload()).hasSize(8 + length);
    }
  }

  @Test
  void aLongReadThatMustNotBeFragmentedIsRefused() throws IOException {
    try (RawClient client = connect(true)) {
      client.request(DF, READ, 7, 0, (1 << 20) + 1);
      assertThat(client.error(true, 7)).isEqualTo(EOVERFLOW);
    }
  }

  @Test
  void aReadOfNothingIsDone() throws IOException {
    try (RawClient client = connect(true)) {
      client.request(0, READ, 7, 5, 0);
      RawClient.Chunk chunk = client.chunk();
      assertThat(chunk.type()).isZero();
      assertThat(chunk.done()).isTrue();
      assertThat(chunk.payload()).isEmpty();
    }
  }

  @Test
  void manyRequestsInOneSystemCallAreAllAnswered() throws IOException {
    try (RawClient client = connect(true)) {
      client.send(
          RawClient.bytes(
              out -> {
                for (int i = 0; i < 1000; i++) {
                  out.write(RawClient.requestBytes(0, READ, i, i * 4096L, 4096));
                }
              }));
      for (int i = 0; i < 1000; i++) {
        RawClient.Chunk chunk = client.chunk();
        int cookie = (int) chunk.cookie();
        assertThat(Arrays.copyOfRange(chunk.payload(), 8, 8 + 4096))
            .isEqualTo(slice(cookie * 4096, 4096));
      }
    }
  }

  // Writes.

  @ParameterizedTest
  @ValueSource(ints = {1, 4096, 65_536, 65_537, 1 << 20, (1 << 20) + 1, SIZE - 3})
  void aWriteIsDoneWhenItIsAnswered(int length) throws IOException {
    byte[] data = new byte[length];
    new Random(2).nextBytes(data);
    for (boolean structured : new boolean[] {false, true}) {
      try (RawClient client = connect(structured)) {
        client.request(0, WRITE, 9, 3, length);
        client.send(data);
        assertThat(client.simpleReply(9)).isZero();
        assertThat(read(failing, 3, length)).isEqualTo(data);
        assertThat(read(failing, 0, 3)).isEqualTo(slice(0, 3));
      }
      served.close();
      served = null;
    }
  }

  @Test
  void manyWritesInOneSystemCallAreAllDone() throws IOException {
    try (RawClient client = connect(true)) {
      client.send(
          RawClient.bytes(
              out -> {
                for (int i = 0; i < 200; i++) {
                  out.write(RawClient.requestBytes(0, WRITE, i, i * 3000L, 3000));
                  out.write(slice(SIZE - (i + 1) * 3000, 3000));
                }
              }));
      for (int i = 0; i < 200; i++) {
        assertThat(client.in.readInt()).isEqualTo(RawClient.SIMPLE);
        assertThat(client.in.readInt()).isZero();
        client.in.readLong();
      }
      for (int i = 0; i < 200; i++) {
        assertThat(read(failing, i * 3000, 3000)).isEqualTo(slice(SIZE - (i + 1) * 3000, 3000));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4096, 100_000, 3 << 20})
  void forcedUnitAccessReachesTheDevice(int length) throws IOException {
    try (RawClient client = connect(true)) {
      client.request(FUA, WRITE, 9, 0, length);
      client.send(new byte[length]);
      assertThat(client.simpleReply(9)).isZero();
      assertThat(counting.requests(Operation.WRITE_FUA) + counting.requests(Operation.FLUSH))
          .isEqualTo(1);
      client.request(FUA, WRITE_ZEROES, 10, 0, 4096);
      assertThat(client.simpleReply(10)).isZero();
      client.request(FUA, TRIM, 11, 0, 4096);
      assertThat(client.simpleReply(11)).isZero();
      assertThat(counting.requests(Operation.WRITE_FUA) + counting.requests(Operation.FLUSH))
          .isEqualTo(3);
      client.request(FUA, READ, 12, 0, 4096);
      assertThat(client.chunk().type()).isEqualTo(1);
      client.request(FUA, FLUSH, 13, 0, 0);
      assertThat(client.simpleReply(13)).isZero();
    }
  }

  @Test
  void aFlushReachesTheDevice() throws IOException {
    try (RawClient client = connect(false)) {
      client.request(0, FLUSH, 1, 0, 0);
      assertThat(client.simpleReply(1)).isZero();
      assertThat(counting.requests(Operation.FLUSH)).isEqualTo(1);
    }
  }

  @Test
  void zerosAreWrittenAndDiscardsPassedOn() throws IOException {
    try (RawClient client = connect(true)) {
      client.request(0, WRITE_ZEROES, 1, 5, 100_000);
      assertThat(client.simpleReply(1)).isZero();
      assertThat(read(failing, 0, 5)).isEqualTo(slice(0, 5));
      assertThat(read(failing, 5, 100_000)).isEqualTo(new byte[100_000]);
      assertThat(read(failing, 100_005, 100)).isEqualTo(slice(100_005, 100));
      assertThat(counting.requests(Operation.WRITE_ZEROES)).isEqualTo(1);
      client.request(0, TRIM, 2, 200_000, 4096);
      assertThat(client.simpleReply(2)).isZero();
      assertThat(counting.bytes(Operation.DISCARD)).isEqualTo(4096);
    }
  }

  @Test
  void zerosThatMustStayAllocatedAreWrittenAsData() throws IOException {
    try (RawClient client = connect(true)) {
      long before = counting.bytes(Operation.WRITE);
      client.request(NO_HOLE, WRITE_ZEROES, 1, 5, 300_000);
      assertThat(client.simpleReply(1)).isZero();
      assertThat(read(failing, 5, 300_000)).isEqualTo(new byte[300_000]);
      assertThat(counting.requests(Operation.WRITE_ZEROES)).isZero();
      assertThat(counting.bytes(Operation.WRITE) - before).isEqualTo(300_000);
    }
  }

  @Test
  void fastZeroingIsDoneWhereItIsFastAndRefusedElsewhere() throws IOException {
    try (RawClient client = connect(true)) {
      client.request(FAST_ZERO, WRITE_ZEROES, 1, 0, 4096);
      assertThat(client.simpleReply(1)).isZero();
      client.request(FAST_ZERO | NO_HOLE, WRITE_ZEROES, 2, 0, 4096);
      assertThat(client.error(true, 2)).isEqualTo(ENOTSUP);
    }
    served.close();
    try (RawClient client = connect(true, new OnlyWrites(failing))) {
      client.request(FAST_ZERO, WRITE_ZEROES, 1, 0, 4096);
      assertThat(client.error(true, 1)).isEqualTo(ENOTSUP);
      assertThat(read(failing, 0, 4096)).isEqualTo(slice(0, 4096));
      client.request(0, WRITE_ZEROES, 2, 0, 4096);
      assertThat(client.simpleReply(2)).isZero();
      client.request(0, TRIM, 3, 0, 4096);
      assertThat(client.error(true, 3)).isEqualTo(EINVAL);
    }
  }

  private static final class OnlyWrites extends LayerDevice {
    OnlyWrites(BlockDevice below) {
      super(below);
    }

    @Override
    public Set<Capability> capabilities() {
      return Set.of(Capability.WRITE);
    }

    @Override
    public String describe() {
      return below.describe();
    }
  }

  @Test
  void cachingReadsTheRangeAndAnswersWithoutData() throws IOException {
    try (RawClient client = connect(true)) {
      client.request(0, CACHE, 1, 1000, 200_000);
      assertThat(client.simpleReply(1)).isZero();
      assertThat(counting.bytes(Operation.READ)).isEqualTo(200_000);
    }
  }

  @Test
  void blockStatusTellsHolesFromData() throws IOException {
    int mebi = 1 << 20;
    try (RawClient client = connect(true)) {
      failing.writeZeroes(mebi, 3 * mebi / 2);
      assertThat(blockStatus(client, 0, 512, 2 * mebi - 512))
          .containsExactly(mebi - 512, 0, mebi, 3);
      assertThat(blockStatus(client, REQ_ONE, 512, 2 * mebi)).containsExactly(mebi - 512, 0);
      assertThat(blockStatus(client, 0, mebi + 7, 9)).containsExactly(9, 3);
      assertThat(blockStatus(client, 0, mebi, 2 * mebi))
          .containsExactly(3 * mebi / 2, 3, mebi / 2, 0);
    }
  }

  /** The lengths and flags of the extents. */
  private static List<Integer> blockStatus(RawClient client, int flags, long offset, int length)
      throws IOException {
    client.request(flags, BLOCK_STATUS, 1, offset, length);
    RawClient.Chunk chunk = client.chunk();
    assertThat(chunk.type()).isEqualTo(5);
    assertThat(chunk.done()).isTrue();
    ByteBuffer payload = chunk.buffer();
    assertThat(payload.getInt()).as("context").isEqualTo(1);
    List<Integer> words = new ArrayList<>();
    while (payload.hasRemaining()) {
      words.add(payload.getInt());
    }
    return words;
  }

  // What is refused, and that the connection lives on.

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void refusalsKeepTheConnection(boolean structured) throws IOException {
    try (RawClient client = connect(structured)) {
      long cookie = 100;
      for (long[] outside :
          new long[][] {
            {SIZE, 1}, {SIZE - 1, 2}, {-1, 1}, {Long.MIN_VALUE, 4096}, {0, SIZE + 1}, {1L << 62, 8}
          }) {
        for (int command : new int[] {READ, TRIM, CACHE}) {
          client.request(0, command, ++cookie, outside[0], (int) outside[1]);
          assertThat(client.error(structured, cookie)).isEqualTo(EINVAL);
        }
        client.request(0, WRITE_ZEROES, ++cookie, outside[0], (int) outside[1]);
        assertThat(client.error(structured, cookie)).isEqualTo(ENOSPC);
        client.request(0, WRITE, ++cookie, outside[0], (int) outside[1]);
        client.send(new byte[(int) outside[1]]);
        assertThat(client.error(structured, cookie)).isEqualTo(ENOSPC);
      }
      for (int command : new int[] {8, 9, 255, 65_535}) {
        client.request(0, command, ++cookie, 0, 512);
        assertThat(client.error(structured, cookie)).isEqualTo(EINVAL);
      }
      for (int[] flagged :
          new int[][] {
            {READ, NO_HOLE},
            {READ, FAST_ZERO},
            {READ, 0x8000},
            {FLUSH, DF},
            {TRIM, NO_HOLE},
            {WRITE_ZEROES, REQ_ONE},
            {CACHE, 0x20}
          }) {
        client.request(flagged[1], flagged[0], ++cookie, 0, 512);
        assertThat(client.error(structured, cookie)).isEqualTo(EINVAL);
      }
      client.request(DF, WRITE, ++cookie, 0, 512);
      client.send(new byte[512]);
      assertThat(client.error(structured, cookie)).isEqualTo(EINVAL);
      if (!structured) {
        client.request(DF, READ, ++cookie, 0, 512);
        assertThat(client.error(false, cookie)).isEqualTo(EINVAL);
        client.request(0, BLOCK_STATUS, ++cookie, 0, 512);
        assertThat(client.error(false, cookie)).isEqualTo(EINVAL);
      } else {
        client.request(0, BLOCK_STATUS, ++cookie, 0, 0);
        assertThat(client.error(true, cookie)).isEqualTo(EINVAL);
        client.request(0, BLOCK_STATUS, ++cookie, SIZE, 1);
        assertThat(client.error(true, cookie)).isEqualTo(EINVAL);
      }
      client.request(0, FLUSH, ++cookie, 0, 0);
      assertThat(client.simpleReply(cookie)).isZero();
      assertThat(read(failing, 0, SIZE)).isEqualTo(content);
    }
  }

  @Test
  void aRequestBeyondTheMaximumIsRefusedAndItsPayloadDropped() throws IOException {
    BlockDevice huge = MemoryDevice.ofSize(1L << 40);
    served = Served.device(huge);
    try (RawClient client = RawClient.transmitting(served.socket(), true)) {
      client.request(0, READ, 1, 0, (32 << 20) + 1);
      assertThat(client.error(true, 1)).isEqualTo(EINVAL);
      client.request(0, READ, 2, 0, -1);
      assertThat(client.error(true, 2)).isEqualTo(EINVAL);
      client.request(0, WRITE, 3, 0, (32 << 20) + 1);
      byte[] mebibyte = new byte[1 << 20];
      Arrays.fill(mebibyte, (byte) 1);
      for (int i = 0; i < 32; i++) {
        client.send(mebibyte);
      }
      client.send(new byte[] {1});
      assertThat(client.error(true, 3)).isEqualTo(EINVAL);
      client.request(0, WRITE_ZEROES, 4, 0, -1);
      assertThat(client.simpleReply(4)).isZero();
      assertThat(read(huge, 0, 512)).isEqualTo(new byte[512]);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void changesOfAReadOnlyExportAreRefused(boolean structured) throws IOException {
    served = Served.of(builder -> builder.export(Export.of("", failing).readOnly()));
    try (RawClient client = RawClient.transmitting(served.socket(), structured)) {
      for (int length : new int[] {0, 1, 4096, 100_000, 2 << 20}) {
        client.request(0, WRITE, length, 0, length);
        client.send(new byte[length]);
        assertThat(client.error(structured, length)).isEqualTo(EPERM);
      }
      client.request(0, TRIM, 2, 0, 512);
      assertThat(client.error(structured, 2)).isEqualTo(EPERM);
      client.request(0, WRITE_ZEROES, 3, 0, 512);
      assertThat(client.error(structured, 3)).isEqualTo(EPERM);
      client.request(0, FLUSH, 4, 0, 0);
      assertThat(client.simpleReply(4)).isZero();
    }
  }

  // What fails below.

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void failuresOfTheDeviceAreAnsweredAndTheConnectionLivesOn(boolean structured)
      throws IOException {
    try (RawClient client = connect(structured)) {
      failing.inject(Fault.range(0, SIZE, Fault.anything()));
      long cookie = 0;
      for (int length : new int[] {4096, 100_000, 1 << 20, 2 << 20}) {
        client.request(0, READ, ++cookie, 0, length);
        assertThat(client.error(structured, cookie)).isEqualTo(EIO);
        client.request(0, WRITE, ++cookie, 0, length);
        client.send(new byte[length]);
        assertThat(client.error(structured, cookie)).isEqualTo(EIO);
        for (int command : new int[] {TRIM, WRITE_ZEROES, CACHE}) {
          client.request(0, command, ++cookie, 0, length);
          assertThat(client.error(structured, cookie)).isEqualTo(EIO);
        }
        client.request(NO_HOLE, WRITE_ZEROES, ++cookie, 0, length);
        assertThat(client.error(structured, cookie)).isEqualTo(EIO);
      }
      failing.inject(Fault.nth(1, Set.of(Operation.FLUSH)));
      client.request(0, FLUSH, ++cookie, 0, 0);
      assertThat(client.error(structured, cookie)).isEqualTo(EIO);
      for (int command : new int[] {TRIM, WRITE_ZEROES}) {
        failing.inject(Fault.nth(1, Set.of(Operation.FLUSH)));
        client.request(FUA, command, ++cookie, 0, 512);
        assertThat(client.error(structured, cookie)).isEqualTo(EIO);
      }
      failing.heal();
      client.request(0, FLUSH, ++cookie, 0, 0);
      assertThat(client.simpleReply(cookie)).isZero();
    }
  }

  @Test
  void theTextOfAFailureNamesTheDevice() throws IOException {
    try (RawClient client = connect(true)) {
      failing.inject(Fault.range(0, SIZE, Fault.anything()));
      client.request(0, READ, 1, 0, 512);
      RawClient.Chunk chunk = client.chunk();
      assertThat(chunk.type()).isEqualTo(0x8001);
      assertThat(chunk.message()).contains("injected failure").endsWith(failing.describe());
    }
  }

  @Test
  void aFailureInTheMiddleOfAStructuredReadComesAfterTheDataBeforeIt() throws IOException {
    try (RawClient client = connect(true)) {
      failing.inject(Fault.range(700_000, 1, Set.of(Operation.READ)));
      client.request(0, READ, 1, 0, 1 << 20);
      RawClient.Chunk chunk = client.chunk();
      int bytes = 0;
      while (chunk.type() == 1) {
        assertThat(chunk.done()).isFalse();
        bytes += chunk.payload().length - 8;
        chunk = client.chunk();
      }
      assertThat(bytes).isPositive().isLessThan(700_000);
      assertThat(chunk.error()).isEqualTo(EIO);
      assertThat(chunk.done()).isTrue();
      client.request(0, READ, 2, 0, 4096);
      assertThat(readChunks(client, 2, 0, 4096)).isEqualTo(slice(0, 4096));
    }
  }

  @Test
  void aFailureLateInALongSimpleReadEndsTheConnection() throws IOException {
    try (RawClient client = connect(false)) {
      failing.inject(Fault.range(2 << 20, 1, Set.of(Operation.READ)));
      client.request(0, READ, 1, 0, 3 << 20);
      assertThat(client.simpleReply(1)).isZero();
      assertThat(client.in.readAllBytes().length).isLessThan(3 << 20);
    }
  }

  // Order.

  @Test
  void slowRequestsRunSideBySideAndAreAnsweredAsTheyEnd() throws Exception {
    int requests = 8;
    CountDownLatch allIn = new CountDownLatch(requests);
    BlockDevice gate =
        new LayerDevice(failing) {
          @Override
          protected void doRead(long offset, ByteBuffer dst) throws IOException {
            if (dst.remaining() > 100_000) {
              allIn.countDown();
              awaitUninterruptibly(allIn);
            }
            super.doRead(offset, dst);
          }

          @Override
          public String describe() {
            return below.describe();
          }
        };
    try (RawClient client = connect(true, gate)) {
      for (int i = 0; i < requests - 1; i++) {
        client.request(0, READ, i, i * 4096L, 100_001);
      }
      client.request(0, READ, 1000, 0, 512);
      assertThat(client.chunk().cookie()).as("the fast one overtakes").isEqualTo(1000);
      client.request(0, READ, requests - 1, 0, 100_001);
      for (int i = 0; i < requests; i++) {
        RawClient.Chunk chunk = client.chunk();
        assertThat(chunk.type()).isEqualTo(1);
        assertThat(chunk.done()).isTrue();
      }
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // The end.

  @Test
  void whatIsInFlightIsDoneBeforeADisconnectTakesEffect() throws IOException {
    try (RawClient client = connect(true)) {
      client.send(
          RawClient.bytes(
              out -> {
                for (int i = 0; i < 20; i++) {
                  out.write(RawClient.requestBytes(0, WRITE, i, i * 100_000L, 100_000));
                  out.write(new byte[100_000]);
                }
                out.write(RawClient.requestBytes(0, DISC, 99, 0, 0));
              }));
      for (int i = 0; i < 20; i++) {
        assertThat(client.in.readInt()).isEqualTo(RawClient.SIMPLE);
        assertThat(client.in.readInt()).isZero();
        client.in.readLong();
      }
      assertThat(client.isClosed()).isTrue();
      assertThat(read(failing, 0, 2_000_000)).isEqualTo(new byte[2_000_000]);
    }
  }

  @Test
  void aWrongMagicEndsTheConnection() throws IOException {
    try (RawClient client = connect(true)) {
      byte[] request = RawClient.requestBytes(0, READ, 1, 0, 512);
      request[0] ^= 1;
      client.send(request);
      assertThat(client.isClosed()).isTrue();
    }
  }
}
