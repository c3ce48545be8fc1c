package io.jdm.blockdev.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
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
}
