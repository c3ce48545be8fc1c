package io.jdm.mapper.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import io.jdm.testing.Threads;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DelayTargetTest {
  private static final long FOREVER = 4_294_967_295L;

  private final Disks disks = new Disks();
  private final BlockDevice disk = disks.add("d", 64 * 512);

  private static void awaitStatus(Mapped mapped, String status) {
    await().ignoreException(MapperException.class).until(() -> mapped.status().equals(status));
  }

  @Test
  void classesGoToTheirOwnPlaces() throws Exception {
    try (Mapped mapped = new Mapped(disks, "0 8 delay disk:d 0 0 disk:d 16 1 disk:d 32 0")) {
      mapped.write(0, sector(5));
      assertThat(mapped.read(0, 512)).containsOnly(0);
      assertThat(Mapped.read(disk, 16 * 512, 512)).containsOnly(5);
      mapped.device.discard(0, 512);
      assertThat(Mapped.read(disk, 16 * 512, 512)).containsOnly(0);
      mapped.device.flush();
    }
  }

  private static byte[] sector(int value) {
    byte[] sector = new byte[512];
    Arrays.fill(sector, (byte) value);
    return sector;
  }

  /** Nobody could wait for these delays to end. */
  @Test
  void statusCountsThoseWhoWaitAndSuspendSendsThemOnTheirWay() throws Exception {
    String classArguments = "disk:d 0 " + FOREVER;
    try (Mapped mapped =
        new Mapped(
            disks,
            "0 8 delay " + String.join(" ", classArguments, classArguments, classArguments))) {
      Threads.runTogether(
          5,
          thread -> {
            switch (thread) {
              case 0, 1 -> mapped.read(0, 512);
              case 2 -> mapped.write(0, sector(7));
              case 3 -> {
                Thread.currentThread().interrupt();
                mapped.device.flush();
                assertThat(Thread.interrupted()).as("interrupt status").isTrue();
              }
              default -> {
                awaitStatus(mapped, "2 1 1");
                mapped.mapper.suspend(Mapped.ID);
                assertThat(mapped.status()).isEqualTo("0 0 0");
              }
            }
          });
      assertThat(Mapped.read(disk, 0, 512)).containsOnly(7);
      mapped.mapper.resume(Mapped.ID);
      Threads.runTogether(
          2,
          thread -> {
            if (thread == 0) {
              mapped.read(0, 512);
            } else {
              awaitStatus(mapped, "1 0 0");
              mapped.mapper.suspend(Mapped.ID);
            }
          });
    }
  }

  @Test
  void removingAndClosingDoNotWait() throws Exception {
    try (Mapped mapped = new Mapped(disks, "0 8 delay disk:d 0 " + FOREVER)) {
      Threads.runTogether(
          2,
          thread -> {
            if (thread == 0) {
              mapped.device.writeFua(0, ByteBuffer.allocate(512));
            } else {
              awaitStatus(mapped, "0 1 0");
              mapped.device.close();
              mapped.mapper.remove(Mapped.ID, true);
            }
          });
    }
    assertThat(disks.open()).isZero();
  }
}
