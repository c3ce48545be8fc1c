package io.jdm.nbd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.RawClient;
import io.jdm.nbd.Served;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that send nonsense, vanish, or stall: others are served meanwhile and nothing grows. */
@Timeout(120)
class HostileClientTest {
  private static final long SEED = 20261130;
  private static final int SIZE = 4 << 20;
  private static final int WRITES_END = 1 << 20;

  private final byte[] content = new byte[SIZE];
  private final BlockDevice device = MemoryDevice.ofSize(SIZE);
  private Served served;

  /** What a well-behaved client sends from beginning to end. It writes below WRITES_END only. */
  private static final byte[] SESSION =
      RawClient.bytes(
          out -> {
            out.writeInt(3);
            out.write(RawClient.optionBytes(8, new byte[0]));
            out.write(RawClient.optionBytes(10, RawClient.metaContexts("", "base:allocation")));
            out.write(RawClient.optionBytes(3, new byte[0]));
            out.write(RawClient.optionBytes(7, RawClient.info("", 3)));
            out.write(RawClient.requestBytes(0, 0, 1, 0, 4096));
            out.write(RawClient.requestBytes(1, 1, 2, 512, 200));
            out.write(new byte[200]);
            out.write(RawClient.requestBytes(0, 7, 3, 0, SIZE));
            out.write(RawClient.requestBytes(0, 3, 4, 0, 0));
            out.write(RawClient.requestBytes(0, 4, 5, 0, 4096));
            out.write(RawClient.requestBytes(2, 6, 6, 8192, 4096));
            out.write(RawClient.requestBytes(0, 5, 7, 0, 4096));
            out.write(RawClient.requestBytes(0, 2, 8, 0, 0));
          });

  @BeforeEach
  void serve() throws IOException {
    new Random(1).nextBytes(content);
    device.write(0, ByteBuffer.wrap(content));
    served =
        Served.of(
            builder ->
                builder
                    .export(Export.of("", device))
                    .limits(new ServerLimits(64, 16, 32, Duration.ofSeconds(30))));
  }

  @AfterEach
  void close() throws IOException {
    served.close();
  }

  /** A well-behaved client gets what it asks for. */
  private void assertOthersAreServed() throws IOException {
    try (RawClient client = RawClient.transmitting(served.socket(), true)) {
      client.request(0, 0, 1, SIZE - 4096, 4096);
      byte[] payload = client.chunk().payload();
      assertThat(Arrays.copyOfRange(payload, 8, payload.length))
          .isEqualTo(Arrays.copyOfRange(content, SIZE - 4096, SIZE));
    }
  }

  /** Sends bytes and no more, takes whatever comes until the server closes. */
  private byte[] play(byte[] bytes) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (RawClient client = RawClient.connect(served.socket())) {
      try {
        client.send(bytes);
        client.shutdownOutput();
        client.in.transferTo(answer);
      } catch (IOException e) {
        // The server closed while we were still sending: as it should on a violation.
        assertThat(e.getMessage()).containsAnyOf("reset", "Broken pipe");
      }
    }
    return answer.toByteArray();
  }

  @Test
  void aClientMayVanishAfterAnyByte() throws IOException {
    for (int length = 0; length <= SESSION.length; length++) {
      play(Arrays.copyOf(SESSION, length));
    }
    assertThat(play(SESSION)).isNotEmpty();
    await().until(() -> served.server().clients() == 0);
    assertOthersAreServed();
  }

  @Test
  void aClientMayVanishWithoutTakingItsReplies() throws IOException {
    for (int length = 0; length <= SESSION.length; length += 7) {
      try (RawClient client = RawClient.connect(served.socket())) {
        client.send(Arrays.copyOf(SESSION, length));
      }
    }
    await().until(() -> served.server().clients() == 0);
    assertOthersAreServed();
  }

  @Test
  void everyByteMayBeWrong() throws IOException {
    Random random = new Random(SEED);
    for (int i = 0; i < SESSION.length; i++) {
      byte[] bytes = SESSION.clone();
      bytes[i] ^= (byte) (1 + random.nextInt(255));
      play(bytes);
    }
    for (int round = 0; round < 300; round++) {
      byte[] bytes = SESSION.clone();
      for (int i = 0; i < 8; i++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      play(bytes);
    }
    await().until(() -> served.server().clients() == 0);
    assertOthersAreServed();
  }

  @Test
  void everyFieldMayHaveAnExtremeValue() throws IOException {
    for (int i = 0; i + Integer.BYTES <= SESSION.length; i++) {
      for (int value : new int[] {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
        byte[] bytes = SESSION.clone();
        ByteBuffer.wrap(bytes).putInt(i, value);
        play(bytes);
      }
    }
    await().until(() -> served.server().clients() == 0);
    assertOthersAreServed();
  }

  @Test
  void aThousandClientsLeaveNothingBehind() throws IOException {
    connectOften(100);
    long threads = ManagementFactory.getThreadMXBean().getThreadCount();
    long direct = directMemory();
    connectOften(1000);
    await().until(() -> served.server().clients() == 0);
    assertThat(directMemory() - direct).as("direct memory").isLessThan(8 << 20);
    await()
        .untilAsserted(
            () ->
                assertThat(ManagementFactory.getThreadMXBean().getThreadCount())
                    .isLessThanOrEqualTo((int) threads + 2));
    assertOthersAreServed();
  }

  private void connectOften(int times) throws IOException {
    for (int i = 0; i < times; i++) {
      switch (i % 3) {
        case 0 -> RawClient.connect(served.socket()).close();
        case 1 -> {
          try (RawClient client = RawClient.transmitting(served.socket(), i % 2 == 0)) {
            client.request(0, 0, 1, 0, 128 * 1024);
            client.in.readInt();
          }
        }
        default -> play(SESSION);
      }
      if (i % 16 == 0) {
        await().until(() -> served.server().clients() < 32);
      }
    }
  }

  private static long directMemory() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  @Test
  void clientsThatTakeNoRepliesHoldUpOnlyThemselves() throws IOException {
    List<RawClient> stalled = new ArrayList<>();
    long direct = directMemory();
    try {
      for (int i = 0; i < 8; i++) {
        RawClient client = RawClient.transmitting(served.socket(), i % 2 == 0);
        stalled.add(client);
        client.send(
            RawClient.bytes(
                out -> {
                  for (int j = 0; j < 500; j++) {
                    out.write(
                        RawClient.requestBytes(0, 0, j, j % 64, j % 3 == 0 ? SIZE / 2 : 4096));
                  }
                }));
      }
      for (int i = 0; i < 20; i++) {
        assertOthersAreServed();
      }
      assertThat(directMemory() - direct).as("direct memory").isLessThan(96 << 20);
    } finally {
      for (RawClient client : stalled) {
        client.close();
      }
    }
    await().until(() -> served.server().clients() == 0);
  }

  @Test
  void clientsThatStopInsideARequestHoldUpOnlyThemselves() throws IOException {
    List<RawClient> stalled = new ArrayList<>();
    try {
      for (int length : new int[] {1, 100, 100_000, 1 << 20, 32 << 20}) {
        RawClient client = RawClient.transmitting(served.socket(), true);
        stalled.add(client);
        client.request(0, 1, 1, WRITES_END - Math.min(length, WRITES_END), length);
        client.send(new byte[length / 2]);
      }
      assertOthersAreServed();
    } finally {
      for (RawClient client : stalled) {
        client.close();
      }
    }
    await().until(() -> served.server().clients() == 0);
  }
}
