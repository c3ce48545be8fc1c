package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Errno;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import io.jdm.mapper.TableText;
import io.jdm.testing.Threads;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wiping and setting the key of a mapped device, as luksSuspend and luksResume do. */
@Timeout(60)
final class SuspendedKeyTest {
  private static final int SIZE = 2 << 20;
  private static final DeviceId ID = DeviceId.named("c0");

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();

  @BeforeEach
  void create() throws MapperException {
    disks.add("d", SIZE);
    mapper.create(
        DeviceDefinition.of(
            "c0",
            TableText.parse(
                "0 " + SIZE / 512 + " crypt aes-xts-plain64 " + CryptFixture.KEY + " 0 disk:d 0")));
  }

  @AfterEach
  void close() {
    mapper.close();
    assertThat(disks.open()).isZero();
  }

  private void message(String text) throws MapperException {
    try (Arguments words = Arguments.split(text)) {
      mapper.message(ID, 0, words);
    }
  }

  /** The section "message" of the transcript of dmsetup. */
  @Test
  void goesAsInTheTranscript() throws MapperException {
    assertRefused("key wipe", "not suspended during key manipulation.");
    assertRefused("key set " + CryptFixture.KEY, "not suspended during key manipulation.");
    mapper.suspend(ID);
    message("key wipe");
    assertThat(mapper.table(ID, Slot.LIVE, true).get(0).text()).contains(" " + "0".repeat(128));
    MapperException e = catchThrowableOfType(MapperException.class, () -> mapper.resume(ID));
    assertThat(e.errno()).isEqualTo(Errno.EAGAIN);
    assertThat(e.kernelLog())
        .hasSize(2)
        .satisfies(
            log -> {
              assertThat(log.get(0)).endsWith("crypt: aborting resume - crypt key is not set.");
              assertThat(log.get(1)).endsWith("crypt: preresume failed, error = -11");
            });
    assertThat(mapper.info(ID).suspended()).isTrue();
    message("key set " + CryptFixture.KEY);
    mapper.resume(ID);
    assertThat(mapper.table(ID, Slot.LIVE, true).get(0).text()).contains(CryptFixture.KEY);
    mapper.suspend(ID);
    assertRefused("key set 0011", null);
    assertRefused("key set zz", null);
    message("key set " + CryptFixture.KEY);
    assertRefused("key", "unrecognised message received.");
    assertRefused("bogus", "unrecognised message received.");
    mapper.resume(ID);
  }

  private void assertRefused(String text, String log) {
    MapperException e = catchThrowableOfType(MapperException.class, () -> message(text));
    assertThat(e.errno()).isEqualTo(Errno.EINVAL);
    if (log == null) {
      assertThat(e.kernelLog()).as(text).isEmpty();
    } else {
      assertThat(e.kernelLog().get(0)).as(text).endsWith("device-mapper: crypt: " + log);
    }
  }

  @Test
  void underLoadNobodyEverSeesAnotherKeysData() throws Exception {
    int readers = 3;
    AtomicBoolean done = new AtomicBoolean();
    byte[] content = new byte[SIZE];
    Arrays.fill(content, (byte) 0x5a);
    try (BlockDevice device = mapper.open(ID, true)) {
      device.write(0, ByteBuffer.wrap(content));
      Threads.runTogether(
          readers + 1,
          thread -> {
            if (thread == readers) {
              try {
                for (int i = 0; i < 40; i++) {
                  mapper.suspend(ID);
                  message("key wipe");
                  message("key set " + CryptFixture.KEY);
                  mapper.resume(ID);
                }
              } finally {
                done.set(true);
              }
              return;
            }
            int length = thread == 0 ? 4096 : SIZE / 2;
            ByteBuffer buffer = ByteBuffer.allocateDirect(length);
            for (long offset = 0; !done.get(); offset = (offset + length) % SIZE) {
              device.read(offset, buffer.clear());
              for (int i = 0; i < length; i += 512) {
                assertThat(buffer.get(i)).isEqualTo((byte) 0x5a);
              }
              if (thread == 1) {
                device.write(offset, buffer.clear());
              }
            }
          });
    }
  }
}
