package io.jdm.mapper;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Threads;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tables are swapped while others write and read: nothing is lost and nobody notices. */
@Timeout(120)
class SwapUnderLoadTest {
  private static final int WRITERS = 3;
  private static final int SWAPS = 400;
  private static final int BLOCKS = 64;

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();

  /** The same place on the disk in other ways. */
  private static final String[] TABLES = {
    "0 512 linear disk:d 0",
    "0 512 striped 1 8 disk:d 0",
    "0 100 linear disk:d 0\n100 412 linear disk:d 100",
    "0 512 dust disk:d 0 1024",
    "0 8 delay disk:d 0 0\n8 504 linear disk:d 8"
  };

  @Test
  void nothingIsLostOnAStackOfTwo() throws Exception {
    MemoryDevice disk = disks.add("d", MemoryDevice.ofSize(512 * 512));
    mapper.create(DeviceDefinition.of("low", TableText.parse(TABLES[0])));
    mapper.create(DeviceDefinition.of("top", TableText.parse("0 512 linear mapper:low 0")));
    DeviceId low = DeviceId.named("low");
    DeviceId top = DeviceId.named("top");
    AtomicBoolean done = new AtomicBoolean();
    long[][] last = new long[WRITERS][BLOCKS];
    try (BlockDevice device = mapper.open(top, true)) {
      Threads.runTogether(
          WRITERS + 1,
          thread -> {
            if (thread == WRITERS) {
              try {
                swap(low, top);
              } finally {
                done.set(true);
              }
              return;
            }
            ByteBuffer buffer = ByteBuffer.allocateDirect(1024);
            for (long i = 1; !done.get(); i++) {
              int block = (int) (i % BLOCKS);
              long at = (block * WRITERS + thread) * 1024L;
              if (last[thread][block] != 0) {
                device.read(at, buffer.clear());
                assertThat(buffer.getLong(512)).isEqualTo(last[thread][block]);
              }
              buffer.putLong(0, i).putLong(512, i);
              device.write(at, buffer.clear());
              last[thread][block] = i;
            }
          });
    }
    mapper.close();
    ByteBuffer buffer = ByteBuffer.allocate(1024);
    for (int thread = 0; thread < WRITERS; thread++) {
      for (int block = 0; block < BLOCKS; block++) {
        disk.read((block * WRITERS + thread) * 1024L, buffer.clear());
        assertThat(buffer.getLong(0)).isEqualTo(last[thread][block]);
        assertThat(buffer.getLong(512)).isEqualTo(last[thread][block]);
      }
    }
    assertThat(disks.open()).isZero();
  }

  private void swap(DeviceId low, DeviceId top) throws MapperException {
    for (int i = 0; i < SWAPS; i++) {
      mapper.load(low, TableText.parse(TABLES[i % TABLES.length]), false);
      if (i % 3 == 0) {
        mapper.suspend(low);
        mapper.status(low, Slot.LIVE);
      }
      mapper.resume(low);
      if (i % 7 == 0) {
        mapper.load(top, TableText.parse("0 512 linear mapper:low 0"), false);
        mapper.suspend(top);
        mapper.resume(top);
      }
    }
  }
}
