package io.jdm.blockdev.layer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.memory.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class FailingDeviceTest {
  private final MemoryDevice memory = MemoryDevice.ofSize(8192, 512);
  private final FailingDevice device = FailingDevice.of(memory);

  @Test
  void theNthOperationOfAKindFailsOnce() throws IOException {
    device.inject(Fault.nth(2, Set.of(Operation.WRITE)));
    write(0);
    read(0);
    assertInjected(() -> write(512), "write of 512 bytes at 512");
    write(512);
    read(512);
    assertThat(device.failures()).isEqualTo(1);
  }

  @Test
  void everyOperationCountsAndFails() throws IOException {
    List<ThrowingCallable> operations =
        List.of(
            () -> read(0),
            () -> write(0),
            () -> device.writeFua(0, ByteBuffer.allocate(512)),
            device::flush,
            () -> device.discard(0, 512),
            () -> device.writeZeroes(0, 512));
    for (int n = 1; n <= operations.size(); n++) {
      device.inject(Fault.nth(n, Fault.anything()));
      List<Integer> failed = new ArrayList<>();
      for (int i = 0; i < operations.size(); i++) {
        if (catchThrowable(operations.get(i)) != null) {
          failed.add(i + 1);
        }
      }
      assertThat(failed).containsExactly(n);
    }
  }

  @Test
  void aBadSpotFailsEveryRequestThatTouchesIt() throws IOException {
    device.inject(Fault.range(1024, 512, Set.of(Operation.READ)));
    read(512);
    read(1536);
    write(1024);
    assertInjected(() -> read(1024), "read of 512 bytes at 1024");
    assertInjected(() -> device.read(0, ByteBuffer.allocate(8192)), "read of 8192 bytes at 0");
    device.heal();
    read(1024);
  }

  @Test
  void chanceIsRepeatable() throws IOException {
    List<List<Boolean>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      device.inject(Fault.random(0.3, 42, Set.of(Operation.READ)));
      List<Boolean> failed = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        failed.add(catchThrowable(() -> read(0)) != null);
      }
      runs.add(failed);
    }
    assertThat(runs.get(0)).isEqualTo(runs.get(1)).contains(true, false);
  }

  @Test
  void aTornWriteLeavesItsFirstHalf() throws IOException {
    byte[] data = new byte[5 * 512];
    Arrays.fill(data, (byte) 3);
    device.injectTorn(Fault.nth(1, Set.of(Operation.WRITE)));
    assertInjected(() -> device.write(512, ByteBuffer.wrap(data)), "write of 2560 bytes at 512");
    byte[] expected = new byte[8192];
    Arrays.fill(expected, 512, 512 + 2 * 512, (byte) 3);
    ByteBuffer found = ByteBuffer.allocate(8192);
    device.read(0, found);
    assertThat(found.array()).isEqualTo(expected);
  }

  @Test
  void aFailureThatIsNotTornLeavesNothing() throws IOException {
    device.inject(Fault.nth(1, Set.of(Operation.WRITE)));
    byte[] data = new byte[1024];
    Arrays.fill(data, (byte) 3);
    assertInjected(() -> device.write(0, ByteBuffer.wrap(data)), "write of 1024 bytes at 0");
    ByteBuffer found = ByteBuffer.allocate(1024);
    device.read(0, found);
    assertThat(found.array()).containsOnly(0);
  }

  private void read(long offset) throws IOException {
    device.read(offset, ByteBuffer.allocate(512));
  }

  private void write(long offset) throws IOException {
    device.write(offset, ByteBuffer.allocate(512));
  }

  private void assertInjected(ThrowingCallable call, String request) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            DeviceException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
        .hasMessage("injected failure of a " + request + ": " + device.describe());
  }
}
