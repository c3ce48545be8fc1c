package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.CachingDevice;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import io.jdm.mapper.TableText;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writers and readers on a cache over a stripe over two crypt devices, while these are suspended,
 * loaded anew with other options, their keys wiped and set, and resumed, and callers interrupted.
 * Nobody may ever read what nobody wrote. {@code -Djdm.load.rounds=5000 -Djdm.random.seed=1} goes
 * on longer.
 */
@Timeout(300)
final class ReloadUnderLoadTest {
  private static final long SEED = Long.getLong("jdm.random.seed", 20261201);
  private static final int ROUNDS = Integer.getInteger("jdm.load.rounds", 150);
  private static final int SIZE = 8 << 20;
  private static final int WRITERS = 4;
  private static final int REGION = SIZE / WRITERS;
  private static final String[] OPTIONS = {
    "",
    " 1 same_cpu_crypt",
    " 1 submit_from_crypt_cpus",
    " 1 no_read_workqueue",
    " 1 no_write_workqueue",
    " 2 no_read_workqueue no_write_workqueue",
    " 2 high_priority allow_discards"
  };

  private final Disks disks = new Disks();
  private final AtomicInteger running = new AtomicInteger(WRITERS);

  private static TableText crypt(String disk, Random random) throws MapperException {
    return TableText.parse(
        "0 "
            + SIZE / 1024
            + " crypt aes-xts-plain64 "
            + CryptFixture.KEY
            + " 0 "
            + disk
            + " 0"
            + OPTIONS[random.nextInt(OPTIONS.length)]);
  }

  @Test
  void nothingIsLostOrMixedUp() throws Exception {
    disks.add("a", SIZE / 2);
    disks.add("b", SIZE / 2);
    byte[][] contents = new byte[WRITERS][];
    try (DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build()) {
      Random random = new Random(SEED);
      mapper.create(DeviceDefinition.of("ca", crypt("disk:a", random)));
      mapper.create(DeviceDefinition.of("cb", crypt("disk:b", random)));
      String stripes = "0 " + SIZE / 512 + " striped 2 64 mapper:ca 0 mapper:cb 0";
      mapper.create(DeviceDefinition.of("top", TableText.parse(stripes)));
      ExecutorService threads = Executors.newCachedThreadPool();
      try (BlockDevice top = mapper.open(DeviceId.named("top"), true);
          BlockDevice cache = CachingDevice.over(top, CachingDevice.Options.DEFAULTS)) {
        List<Future<?>> futures = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
          int writer = i;
          // Two go through the cache, two beside it: each in a region of its own.
          BlockDevice device = i % 2 == 0 ? cache : top;
          futures.add(
              threads.submit(
                  () -> {
                    try {
                      contents[writer] = write(device, writer);
                    } finally {
                      running.decrementAndGet();
                    }
                    return null;
                  }));
        }
        futures.add(threads.submit(() -> reload(mapper, "ca", "disk:a", SEED + 1)));
        futures.add(threads.submit(() -> reload(mapper, "cb", "disk:b", SEED + 2)));
        for (Future<?> future : futures) {
          future.get();
        }
        cache.flush();
      } finally {
        threads.shutdownNow();
      }
      try (BlockDevice top = mapper.open(DeviceId.named("top"), false)) {
        for (int i = 0; i < WRITERS; i++) {
          ByteBuffer stored = ByteBuffer.allocate(REGION);
          top.read((long) i * REGION, stored);
          assertThat(Arrays.mismatch(stored.array(), contents[i]))
              .as("region %d, seed %d", i, SEED)
              .isEqualTo(-1);
        }
      }
    }
    assertThat(disks.open()).isZero();
  }

  private byte[] write(BlockDevice device, int writer) throws Exception {
    Random random = new Random(SEED + 100 + writer);
    byte[] content = new byte[REGION];
    long start = (long) writer * REGION;
    device.write(start, ByteBuffer.wrap(content));
    for (int i = 0; i < 2 * ROUNDS; i++) {
      int at = 512 * random.nextInt(REGION / 512);
      int most = Math.min(REGION - at, random.nextInt(8) == 0 ? 1 << 20 : 16 << 10);
      int length = 512 * (1 + random.nextInt(most / 512));
      if (random.nextInt(10) == 0) {
        Thread.currentThread().interrupt();
      }
      if (random.nextBoolean()) {
        byte[] data = new byte[length];
        random.nextBytes(data);
        ByteBuffer src = random.nextBoolean() ? ByteBuffer.wrap(data) : direct(data);
        if (random.nextInt(16) == 0) {
          device.writeFua(start + at, src);
        } else {
          device.write(start + at, src);
        }
        System.arraycopy(data, 0, content, at, length);
      } else {
        ByteBuffer read = ByteBuffer.allocate(length);
        device.read(start + at, read);
        assertThat(Arrays.mismatch(read.array(), Arrays.copyOfRange(content, at, at + length)))
            .as("writer %d, round %d, %d bytes at %d, seed %d", writer, i, length, at, SEED)
            .isEqualTo(-1);
      }
      if (random.nextInt(64) == 0) {
        device.flush();
      }
      Thread.interrupted();
    }
    return content;
  }

  private static ByteBuffer direct(byte[] data) {
    return ByteBuffer.allocateDirect(data.length).put(data).flip();
  }

  private Void reload(DeviceMapper mapper, String name, String disk, long seed) throws Exception {
    Random random = new Random(seed);
    DeviceId id = DeviceId.named(name);
    while (running.get() > 0) {
      boolean table = random.nextBoolean();
      if (table) {
        try (TableText text = crypt(disk, random)) {
          mapper.load(id, text, false);
        }
      }
      if (random.nextBoolean()) {
        mapper.suspend(id);
        message(mapper, id, "key wipe");
        if (!table || random.nextBoolean()) {
          message(mapper, id, "key set " + CryptFixture.KEY);
        }
      }
      mapper.resume(id);
      mapper.status(id, Slot.LIVE);
    }
    return null;
  }

  private static void message(DeviceMapper mapper, DeviceId id, String text)
      throws MapperException {
    try (Arguments words = Arguments.split(text)) {
      mapper.message(id, 0, words);
    }
  }
}
