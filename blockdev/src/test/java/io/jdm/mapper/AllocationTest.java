package io.jdm.mapper;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.jdm.blockdev.BlockDevice;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I/O on mapped devices allocates nothing, down to the file. */
class AllocationTest {
  private static final int REQUESTS = 20_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();
  @TempDir Path dir;

  @BeforeEach
  void aFileAndADisk() throws IOException {
    Files.write(dir.resolve("image"), new byte[1 << 20]);
    disks.add("d", 1 << 20);
  }

  @AfterEach
  void close() {
    mapper.close();
  }

  @FunctionalInterface
  private interface Request {
    void run(int index) throws IOException;
  }

  private static long allocatedBy(Request request) throws IOException {
    for (int i = 0; i < REQUESTS; i++) {
      request.run(i);
    }
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < REQUESTS; i++) {
      request.run(i);
    }
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 2048 linear FILE 0",
        "0 2048 linear disk:d 0",
        "0 2048 zero",
        "0 1000 linear disk:d 0\n1000 40 zero\n1040 1008 linear disk:d 1040",
        "0 2048 striped 2 8 disk:d 0 disk:d 1024",
        "0 2048 delay disk:d 0 0",
        "0 2048 flakey disk:d 0 1000 0",
        "0 2048 dust disk:d 0 65536"
      })
  void requestsAllocateNothing(String table) throws IOException {
    String file = Arguments.quote(dir.resolve("image").toString());
    TableText text = TableText.parse(table.replace("FILE", file));
    DeviceId id = mapper.create(DeviceDefinition.of("t", text)).id();
    mapper.create(DeviceDefinition.of("top", TableText.parse("0 2048 linear mapper:t 0")));
    ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    try (BlockDevice device = mapper.open(id, true);
        BlockDevice stacked = mapper.open(DeviceId.named("top"), true)) {
      for (BlockDevice each : new BlockDevice[] {device, stacked}) {
        assertThat(allocatedBy(i -> each.read((i % 256) * 4096L, buffer.clear())))
            .as("bytes allocated by %d reads", REQUESTS)
            .isLessThan(REQUESTS);
        assertThat(allocatedBy(i -> each.write((i % 256) * 4096L, buffer.clear())))
            .as("bytes allocated by %d writes", REQUESTS)
            .isLessThan(REQUESTS);
      }
    }
  }
}
