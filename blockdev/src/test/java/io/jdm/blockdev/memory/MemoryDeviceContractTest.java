package io.jdm.blockdev.memory;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "blocks of {0} bytes")
@ValueSource(ints = {1, 512, 4096})
class MemoryDeviceContractTest extends BlockDeviceContract {
  @Parameter int block;

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException {
    MemoryDevice device = MemoryDevice.ofSize(content.length, block);
    device.write(0, ByteBuffer.wrap(content));
    return device;
  }

  @Override
  protected boolean liesOnAnotherDevice() {
    return false;
  }
}
