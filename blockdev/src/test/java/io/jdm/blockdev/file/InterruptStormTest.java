package io.jdm.blockdev.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts close java.nio's channels for everybody, but no {@link FileDevice}. */
@Timeout(120)
class InterruptStormTest {
  private static final int THREADS = 4;
  private static final int PIECE = 128 * 1024;
  private static final int ROUNDS = 150;
  private static final long SEED = 17;

  private final Logger logger = Logger.getLogger(OpenFile.class.getName());
  private final AtomicInteger reopened = new AtomicInteger();
  private final Handler counter =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          reopened.incrementAndGet();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @TempDir Path temp;

  @BeforeEach
  void countReopenings() {
    counter.setLevel(Level.ALL);
    logger.setLevel(Level.FINE);
    logger.addHandler(counter);
  }

  @AfterEach
  void stopCounting() {
    logger.removeHandler(counter);
    logger.setLevel(null);
  }

  @Test
  void threadsInterruptEachOtherOnARealFile() throws Exception {
    storm(temp.resolve("image"));
    assertThat(reopened).as("channels closed by interrupts").hasPositiveValue();
  }

  @Test
  void threadsInterruptEachOtherInMemory() throws Exception {
    try (FileSystem fileSystem = Jimfs.newFileSystem(Configuration.unix())) {
      storm(fileSystem.getPath("/image"));
    }
    assertThat(reopened).as("channels closed by interrupts").hasPositiveValue();
  }

  private static void storm(Path file) throws Exception {
    AtomicReferenceArray<Thread> threads = new AtomicReferenceArray<>(THREADS);
    try (FileDevice device = FileDevice.create(file, (long) THREADS * PIECE)) {
      Threads.runTogether(
          THREADS,
          index -> {
            threads.set(index, Thread.currentThread());
            Random random = new Random(SEED + index);
            ByteBuffer buffer =
                index % 2 == 0 ? ByteBuffer.allocate(PIECE) : ByteBuffer.allocateDirect(PIECE);
            long offset = (long) index * PIECE;
            byte[] data = new byte[PIECE];
            for (int round = 0; round < ROUNDS; round++) {
              Thread victim = threads.get(random.nextInt(THREADS));
              if (victim != null) {
                victim.interrupt();
              }
              random.nextBytes(data);
              device.write(offset, buffer.clear().put(data).flip());
              if (round % 30 == 0) {
                device.flush();
              }
              fill(buffer, (byte) 0);
              device.read(offset, buffer.clear());
              assertThat(buffer.flip().equals(ByteBuffer.wrap(data)))
                  .as("seed %d, thread %d, round %d", SEED, index, round)
                  .isTrue();
              // Until here it was served interrupted; from here the next interrupt hits a call.
              Thread.interrupted();
            }
          });
    }
  }

  private static void fill(ByteBuffer buffer, byte value) {
    for (int i = 0; i < buffer.capacity(); i++) {
      buffer.put(i, value);
    }
  }

  @Test
  void theLockIsTakenAgainWithTheChannel() throws Exception {
    Path file = temp.resolve("image");
    try (OtherProcess other = new OtherProcess();
        FileDevice device = FileDevice.create(file, PIECE)) {
      interruptReads(device, () -> reopened.get() > 0);
      assertThat(other.open(file, false)).contains("is locked by another process");
    }
  }

  @Test
  void anotherFileByTheSameNameIsNotMistakenForIt() throws Exception {
    Path file = temp.resolve("image");
    byte[] others = new byte[PIECE];
    Arrays.fill(others, (byte) 1);
    try (FileDevice device = FileDevice.create(file, PIECE)) {
      Files.move(file, temp.resolve("moved"));
      Files.write(file, others);
      DeviceException failure =
          catchThrowableOfType(DeviceException.class, () -> interruptReads(device, () -> false));
      assertThat(failure.errno()).isEqualTo(Errno.EIO);
      assertThat(failure)
          .hasMessage("is not the file any more that was opened by this name: file " + file);

      Files.delete(file);
      DeviceException missing =
          catchThrowableOfType(
              DeviceException.class, () -> device.read(0, ByteBuffer.allocate(PIECE)));
      assertThat(missing.errno()).isEqualTo(Errno.ENOENT);
      assertThat(missing).hasMessageEndingWith("file " + file);

      Files.move(temp.resolve("moved"), file);
      device.write(0, ByteBuffer.allocate(PIECE));
    }
  }

  /** Reads zeros and is interrupted, until the condition holds or a read fails. */
  private static void interruptReads(FileDevice device, BooleanSupplier until)
      throws IOException, InterruptedException {
    Thread reader = Thread.currentThread();
    AtomicBoolean done = new AtomicBoolean();
    Thread interrupter =
        new Thread(
            () -> {
              while (!done.get()) {
                reader.interrupt();
              }
            });
    interrupter.start();
    ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE);
    try {
      while (!until.getAsBoolean()) {
        device.read(0, buffer.clear());
        assertThat(buffer.get(PIECE - 1)).isZero();
        Thread.interrupted();
      }
    } finally {
      done.set(true);
      while (interrupter.isAlive()) {
        Thread.interrupted();
        Thread.onSpinWait();
      }
      Thread.interrupted();
    }
  }
}
