package io.jdm.blockdev.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.jdm.testing.Allocation;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BufferPoolTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 512, 4095, 4096, 4097, 1 << 20})
  void buffersOfEverySizeStartAtAPage(int size) {
    ByteBuffer buffer = BufferPool.allocateAligned(size);

    assertThat(buffer.capacity()).isEqualTo(size);
    assertThat(buffer.alignmentOffset(0, 4096)).isZero();
  }

  @Test
  void lendsWholeBuffersWhateverTheLastOwnerDidToThem() {
    BufferPool pool = new BufferPool(100, 1);
    try (BufferPool.Lease lease = pool.lease()) {
      lease.buffer().position(50).limit(60);
    }
    try (BufferPool.Lease lease = pool.lease()) {
      assertThat(lease.buffer().position()).isZero();
      assertThat(lease.buffer().limit()).isEqualTo(100);
    }
  }

  @Test
  void lendsTheBufferThatWasReturnedLast() {
    BufferPool pool = new BufferPool(512, 4);
    BufferPool.Lease first = pool.lease();
    BufferPool.Lease second = pool.lease();
    ByteBuffer warm = first.buffer();
    second.close();
    first.close();
    try (BufferPool.Lease lease = pool.lease()) {
      assertThat(lease.buffer()).isSameAs(warm);
    }
  }

  @Test
  void keepsNoMoreIdleBuffersThanItShould() {
    BufferPool pool = new BufferPool(512, 2);
    List<BufferPool.Lease> leases = List.of(pool.lease(), pool.lease(), pool.lease());
    List<ByteBuffer> buffers = new ArrayList<>();
    for (BufferPool.Lease lease : leases) {
      buffers.add(lease.buffer());
    }
    leases.forEach(BufferPool.Lease::close);
    assertThat(pool.lease().buffer()).isSameAs(buffers.get(1));
    assertThat(pool.lease().buffer()).isSameAs(buffers.get(0));
    assertThat(pool.lease().buffer()).isNotSameAs(buffers.get(2));
  }

  @Test
  void aReturnedBufferIsOutOfReach() {
    BufferPool.Lease lease = new BufferPool(512, 2).lease();
    lease.close();
    assertThatIllegalStateException().isThrownBy(lease::buffer);
    assertThatIllegalStateException().isThrownBy(lease::close);
    assertThatIllegalStateException().isThrownBy(lease::wipeAndClose);
  }

  @Test
  void wipesWhatItIsToldTo() {
    BufferPool pool = new BufferPool(1001, 1);
    BufferPool.Lease lease = pool.lease();
    ByteBuffer buffer = lease.buffer();
    for (int i = 0; i < 1001; i++) {
      buffer.put(i, (byte) 1);
    }
    buffer.position(500).limit(510);
    lease.wipeAndClose();
    assertThat(buffer.clear()).isEqualTo(ByteBuffer.allocate(1001));
  }

  @Test
  void zeroesARangeAndNothingElse() {
    ByteBuffer buffer = ByteBuffer.allocate(40);
    for (int i = 0; i < 40; i++) {
      buffer.put(i, (byte) 1);
    }
    BufferPool.zero(buffer, 3, 30);
    for (int i = 0; i < 40; i++) {
      assertThat(buffer.get(i)).isEqualTo((byte) (i < 3 || i >= 33 ? 1 : 0));
    }
    assertThat(buffer.position()).isZero();
  }

  @Test
  void everyBufferHasOneOwner() throws Exception {
    BufferPool pool = new BufferPool(8, 2);
    Threads.runTogether(
        4,
        thread -> {
          for (int i = 0; i < 20_000; i++) {
            try (BufferPool.Lease lease = pool.lease()) {
              lease.buffer().putLong(0, thread);
              Thread.onSpinWait();
              assertThat(lease.buffer().getLong(0) == thread).isTrue();
            }
          }
        });
  }

  @Test
  void lendingAllocatesNothingOnceWarm() throws IOException {
    BufferPool pool = new BufferPool(4096, 2);
    Allocation.assertNone(
        i -> {
          try (BufferPool.Lease lease = pool.lease()) {
            lease.buffer().put(0, (byte) i);
          }
        });
  }
}
