package io.jdm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.jdm.blockdev.BlockDevice;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.TableText;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.client.NbdDevice;
import io.jdm.nbd.server.Export;
import io.jdm.nbd.server.NbdServer;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hours of use in one test, with the profile soak: clients that check what they read, on an
 * encrypted export that is suspended and given new tables meanwhile. Prints the latencies of each
 * minute.
 */
@EnabledIfSystemProperty(named = "jdm.soak.minutes", matches = "[1-9]\\d*")
class SoakTest {
  private static final int MINUTES = Integer.getInteger("jdm.soak.minutes", 0);
  private static final long SEED = 20261201;
  private static final int CLIENTS = 8;
  private static final int AREA = 4 << 20;
  private static final int BLOCK = 4096;
  private static final int LONGEST = 256;
  private static final long SWAP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  @TempDir Path folder;

  private final AtomicBoolean over = new AtomicBoolean();
  private final Recorder latencies = new Recorder(3);
  private final AtomicLong swaps = new AtomicLong();

  /** What a long run must not make grow. */
  private record Use(long heap, long direct, int threads, long descriptors) {
    static Use now() {
      System.gc();
      long direct =
          ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
              .filter(pool -> pool.getName().equals("direct"))
              .mapToLong(BufferPoolMXBean::getMemoryUsed)
              .sum();
      return new Use(
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
          direct,
          ManagementFactory.getThreadMXBean().getThreadCount(),
          ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
              .getOpenFileDescriptorCount());
    }
  }

  @Test
  void nothingFailsLeaksOrSlowsDown() throws Exception {
    Path disk = Files.write(folder.resolve("disk"), new byte[CLIENTS * AREA]);
    Path key = Files.write(folder.resolve("key"), new byte[64]);
    String table =
        "0 " + CLIENTS * AREA / 512 + " crypt aes-xts-plain64 @" + key + " 0 " + disk + " 0";
    List<Use> uses = new ArrayList<>();
    try (DeviceMapper mapper = DeviceMapper.builder().build()) {
      mapper.create(DeviceDefinition.of("c", TableText.parse(table)));
      try (BlockDevice device = mapper.open(DeviceId.named("c"), true);
          NbdServer server = NbdServer.builder().export(Export.of("", device)).build()) {
        NbdUri uri = server.listenUnix(folder.resolve("sock"));
        Threads.runTogether(
            CLIENTS + 2,
            thread -> {
              try {
                if (thread < CLIENTS) {
                  use(uri, thread);
                } else if (thread == CLIENTS) {
                  swapTables(mapper, table);
                } else {
                  watch(uses);
                }
              } finally {
                over.set(true);
              }
            });
      }
    }
    Use first = uses.get(0);
    Use last = uses.get(uses.size() - 1);
    assertThat(last.heap - first.heap).as("heap").isLessThan(16 << 20);
    assertThat(last.direct - first.direct).as("direct memory").isLessThan(16 << 20);
    assertThat(last.threads - first.threads).as("threads").isLessThan(16);
    assertThat(last.descriptors - first.descriptors).as("descriptors").isLessThan(4);
  }

  /** Writes and reads an area of its own, whose blocks have version numbers. */
  private void use(NbdUri uri, int client) throws IOException {
    Random random = new Random(SEED + client);
    int blocks = AREA / BLOCK;
    int[] versions = new int[blocks];
    ByteBuffer buffer = ByteBuffer.allocateDirect(LONGEST * BLOCK);
    try (NbdDevice device = NbdDevice.open(uri, true)) {
      device.writeZeroes((long) client * AREA, AREA);
      for (int version = 1; !over.get(); version++) {
        int first = random.nextInt(blocks);
        int longest = random.nextInt(16) == 0 ? LONGEST : 4;
        int count = 1 + random.nextInt(Math.min(longest, blocks - first));
        long offset = (long) client * AREA + (long) first * BLOCK;
        buffer.clear().limit(count * BLOCK);
        int kind = random.nextInt(32);
        if (kind >= 16) {
          long begin = System.nanoTime();
          device.read(offset, buffer);
          latencies.recordValue(System.nanoTime() - begin);
          for (int i = 0; i < count; i++) {
            assertThat(buffer.getInt(i * BLOCK))
                .as("seed %d, client %d, block %d", SEED, client, first + i)
                .isEqualTo(versions[first + i]);
          }
          continue;
        }
        int written = kind == 0 ? 0 : version;
        for (int i = 0; i < count; i++) {
          buffer.putInt(i * BLOCK, written);
          versions[first + i] = written;
        }
        long begin = System.nanoTime();
        switch (kind) {
          case 0 -> device.writeZeroes(offset, (long) count * BLOCK);
          case 1 -> device.writeFua(offset, buffer);
          default -> device.write(offset, buffer);
        }
        if (kind == 2) {
          device.flush();
        }
        latencies.recordValue(System.nanoTime() - begin);
      }
    }
  }

  private void swapTables(DeviceMapper mapper, String table) throws Exception {
    DeviceId id = DeviceId.named("c");
    while (!over.get()) {
      mapper.suspend(id);
      try (TableText text = TableText.parse(table)) {
        mapper.load(id, text, false);
      }
      mapper.resume(id);
      swaps.incrementAndGet();
      LockSupport.parkNanos(SWAP_NANOS);
    }
  }

  private void watch(List<Use> uses) {
    Histogram minute = null;
    for (int i = 1; i <= MINUTES && !over.get(); i++) {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (System.nanoTime() < end && !over.get()) {
        LockSupport.parkNanos(SWAP_NANOS);
      }
      minute = latencies.getIntervalHistogram(minute);
      uses.add(Use.now());
      System.out.printf(
          "soak minute %2d: %8d requests, us p50 %5d p90 %5d p99 %6d p99.9 %6d max %7d; %d swaps, %s%n",
          i,
          minute.getTotalCount(),
          minute.getValueAtPercentile(50) / 1000,
          minute.getValueAtPercentile(90) / 1000,
          minute.getValueAtPercentile(99) / 1000,
          minute.getValueAtPercentile(99.9) / 1000,
          minute.getMaxValue() / 1000,
          swaps.get(),
          uses.get(uses.size() - 1));
    }
  }
}
