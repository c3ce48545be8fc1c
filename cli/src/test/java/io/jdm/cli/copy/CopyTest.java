package io.jdm.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.layer.CountingDevice;
import io.jdm.blockdev.layer.FailingDevice;
import io.jdm.blockdev.layer.Fault;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.blockdev.layer.Operation;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.cli.copy.Copy.Destination;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies between devices, with zeros, failures, and destinations that hold something already. */
@Timeout(120)
class CopyTest {
  private static final int MEBI = 1 << 20;
  private static final int SIZE = 9 * MEBI + 1234;

  /** Data, a hole, zeros that are data, and data up to an odd end. */
  private static byte[] content() {
    byte[] content = new byte[SIZE];
    new Random(1).nextBytes(content);
    java.util.Arrays.fill(content, 2 * MEBI - 5, 4 * MEBI + 77, (byte) 0);
    java.util.Arrays.fill(content, 6 * MEBI, 7 * MEBI, (byte) 0);
    return content;
  }

  private static BlockDevice source(byte[] content) throws IOException {
    BlockDevice device = MemoryDevice.ofSize(content.length);
    device.write(0, ByteBuffer.wrap(content));
    return device;
  }

  private static byte[] read(BlockDevice device, int length) throws IOException {
    byte[] bytes = new byte[length];
    device.read(0, ByteBuffer.wrap(bytes));
    return bytes;
  }

  private static void fill(BlockDevice device, long seed) throws IOException {
    byte[] other = new byte[(int) device.size()];
    new Random(seed).nextBytes(other);
    device.write(0, ByteBuffer.wrap(other));
  }

  @ParameterizedTest
  @EnumSource
  void aCopyIsTrue(Destination destination) throws IOException {
    byte[] content = content();
    BlockDevice target = MemoryDevice.ofSize(10 * MEBI, 4096);
    if (destination != Destination.ZEROS) {
      fill(target, 2);
    }
    Copy copy = new Copy(source(content), target, destination, 4);
    copy.copy();
    copy.verify();
    assertThat(read(target, 10 * MEBI)).startsWith(content);
    assertThat(copy.written() + copy.zeroed()).isEqualTo(SIZE);
    assertThat(copy.passed()).isEqualTo(SIZE);
  }

  @Test
  void holesStayHoles() throws IOException {
    BlockDevice target = MemoryDevice.ofSize(SIZE);
    fill(target, 2);
    new Copy(source(content()), target, Destination.UNKNOWN, 4).copy();
    assertThat(target.extent(6 * MEBI, MEBI)).isEqualTo(new Extent(MEBI, Extent.State.HOLE));
  }

  /** A device over which zeros are as good as any other data, such as an encrypted one. */
  private static final class Encrypting extends LayerDevice {
    Encrypting(BlockDevice below) {
      super(below);
    }

    private static ByteBuffer flip(ByteBuffer from) {
      ByteBuffer to = ByteBuffer.allocate(from.remaining());
      while (from.hasRemaining()) {
        to.put((byte) ~from.get());
      }
      return to.flip();
    }

    @Override
    protected void doRead(long offset, ByteBuffer dst) throws IOException {
      ByteBuffer cipher = ByteBuffer.allocate(dst.remaining());
      below.read(offset, cipher);
      dst.put(flip(cipher.flip()));
    }

    @Override
    protected void doWrite(long offset, ByteBuffer src) throws IOException {
      below.write(offset, flip(src));
    }

    @Override
    protected void doWriteZeroes(long offset, long length) throws IOException {
      doWrite(offset, ByteBuffer.allocate((int) length));
    }

    @Override
    protected Extent doExtent(long offset, long length) {
      return Extent.data(length);
    }

    @Override
    public java.util.Set<io.jdm.blockdev.Capability> capabilities() {
      return java.util.Set.of(io.jdm.blockdev.Capability.WRITE);
    }

    @Override
    public String describe() {
      return "encrypted " + below.describe();
    }
  }

  @Test
  void zerosAreWrittenThroughAnEncryptedDevice() throws IOException {
    byte[] content = content();
    for (Destination destination : new Destination[] {Destination.UNKNOWN, Destination.PARTIAL}) {
      BlockDevice disk = MemoryDevice.ofSize(SIZE);
      Copy copy = new Copy(source(content), new Encrypting(disk), destination, 2);
      copy.copy();
      copy.verify();
      assertThat(read(new Encrypting(disk), SIZE)).isEqualTo(content);
      assertThat(read(disk, SIZE)[3 * MEBI]).isEqualTo((byte) 0xff);
    }
  }

  @Test
  void aCopyThatWasCutOffGoesOnAndWritesOnlyWhatDiffers() throws IOException {
    byte[] content = content();
    BlockDevice memory = MemoryDevice.ofSize(SIZE);
    FailingDevice failing = FailingDevice.of(memory);
    failing.inject(Fault.range(5 * MEBI, 512, Fault.anything()));
    assertThatThrownBy(() -> new Copy(source(content), failing, Destination.ZEROS, 1).copy())
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining(failing.describe());
    CountingDevice counting = CountingDevice.of(memory);
    new Copy(source(content), counting, Destination.PARTIAL, 1).copy();
    assertThat(read(memory, SIZE)).isEqualTo(content);
    assertThat(counting.bytes(Operation.WRITE)).isBetween(1L, 5L * MEBI);
  }

  @Test
  void resumingOverSomethingElseStillEndsWithTheSource() throws IOException {
    byte[] content = content();
    BlockDevice target = MemoryDevice.ofSize(SIZE);
    fill(target, 3);
    new Copy(source(content), target, Destination.PARTIAL, 4).copy();
    assertThat(read(target, SIZE)).isEqualTo(content);
  }

  @Test
  void aFailingSourceIsNamed() throws IOException {
    FailingDevice failing = FailingDevice.of(source(content()));
    failing.inject(Fault.range(8 * MEBI, 512, Fault.anything()));
    BlockDevice target = MemoryDevice.ofSize(SIZE);
    for (int threads : new int[] {1, 4}) {
      assertThatThrownBy(() -> new Copy(failing, target, Destination.UNKNOWN, threads).copy())
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining(failing.describe());
    }
  }

  @Test
  void aDestinationThatLosesWritesIsFoundByVerifying() throws IOException {
    BlockDevice memory = MemoryDevice.ofSize(SIZE);
    BlockDevice forgetful =
        new LayerDevice(memory) {
          @Override
          protected void doWrite(long offset, ByteBuffer src) throws IOException {
            if (offset == 5 * MEBI) {
              src.position(src.limit());
            } else {
              super.doWrite(offset, src);
            }
          }

          @Override
          public String describe() {
            return "forgetful disk";
          }
        };
    Copy copy = new Copy(source(content()), forgetful, Destination.UNKNOWN, 2);
    copy.copy();
    assertThatThrownBy(copy::verify)
        .hasMessage("the copy differs from the source at byte 5242880: forgetful disk");
  }

  @Test
  void aDestinationThatIsTooSmallIsRefusedUntouched() {
    assertThatThrownBy(
            () ->
                new Copy(
                    MemoryDevice.ofSize(SIZE), MemoryDevice.ofSize(MEBI), Destination.UNKNOWN, 1))
        .hasMessage(
            "the source has 9438418 bytes, the destination only 1048576: memory of 9438418 bytes,"
                + " memory of 1048576 bytes");
  }

  @Test
  void nothingIsCopiedFromAnEmptyDevice() throws IOException {
    Copy copy = new Copy(MemoryDevice.ofSize(0), MemoryDevice.ofSize(0), Destination.UNKNOWN, 4);
    copy.copy();
    copy.verify();
    assertThat(copy.written() + copy.zeroed()).isZero();
  }
}
