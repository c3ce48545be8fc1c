package io.jdm.blockdev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.file.FileDevice;
import io.jdm.blockdev.layer.CountingDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DeviceSpecsTest {
  private final DeviceSpecs specs = new DeviceSpecs(List.of());
  @TempDir Path temporary;
  private Path file;

  @BeforeEach
  void aFile() throws IOException {
    file = temporary.toRealPath().resolve("disk.img");
    Files.write(file, new byte[8192]);
  }

  private static DeviceException refusal(org.assertj.core.api.ThrowableAssert.ThrowingCallable c) {
    DeviceException e = catchThrowableOfType(DeviceException.class, c);
    assertThat(e).as("a DeviceException").isNotNull();
    return e;
  }

  @Test
  void allSpecsOfAFileHaveOneName() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), file);
    String name = file.toString();
    assertThat(specs.canonicalName(name)).isEqualTo(name);
    assertThat(specs.canonicalName("file:" + name)).isEqualTo(name);
    assertThat(specs.canonicalName(temporary + "/./x/../disk.img")).isEqualTo(name);
    assertThat(specs.canonicalName(link.toString())).isEqualTo(name);
    assertThat(specs.canonicalName("not-there.img"))
        .isEqualTo(Path.of("not-there.img").toAbsolutePath().toString());
    assertThat(specs.canonicalName("file:/dev/mapper/x"))
        .as("not to be taken for a mapped device")
        .isEqualTo("file:/dev/mapper/x");
  }

  @ParameterizedTest
  @ValueSource(strings = {"c:image", "C:\\images\\disk.img", "./nbd:x", "/a/nbd:x", "1:x", "a.b:c"})
  void whatLooksLikeAPathIsOne(String spec) throws IOException {
    assertThat(specs.canonicalName(spec)).startsWith("/");
  }

  @Test
  void anUnknownSchemeIsRefusedWithTheKnownOnes() {
    DeviceException e = refusal(() -> specs.open("nosuch:thing", false));
    assertThat(e.errno()).isEqualTo(Errno.EINVAL);
    assertThat(e)
        .hasMessageContaining("'nosuch'")
        .hasMessageContaining("file:PATH")
        .hasMessageContaining("mem:SIZE")
        .hasMessageEndingWith("file:nosuch:thing");
  }

  @Test
  void missingFilesAndDirectoriesAreRefusedAndCanBeTriedAgain() throws IOException {
    Path later = temporary.resolve("later.img");
    assertThat(refusal(() -> specs.open(later.toString(), true)).errno()).isEqualTo(Errno.ENOENT);
    assertThat(refusal(() -> specs.open(temporary.toString(), true)).errno())
        .isEqualTo(Errno.EISDIR);
    Files.write(later, new byte[512]);
    specs.open(later.toString(), true).close();
  }

  @Test
  void aFileIsOpenOnceForAllAndClosedWithTheLast() throws IOException {
    BlockDevice first = specs.open(file.toString(), true);
    BlockDevice second = specs.open("file:" + file, true);
    first.write(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    ByteBuffer dst = ByteBuffer.allocate(3);
    second.read(0, dst);
    assertThat(dst.array()).containsExactly(1, 2, 3);
    first.close();
    first.close();
    assertThat(refusal(() -> first.read(0, ByteBuffer.allocate(1))).errno())
        .isEqualTo(Errno.ENODEV);
    second.flush();
    assertThat(refusal(() -> FileDevice.open(file, true)).errno())
        .as("locked by the one opening")
        .isEqualTo(Errno.EBUSY);
    second.close();
    FileDevice.open(file, true).close();
  }

  @Test
  void readersAreReadOnlyAlsoBesideWriters() throws IOException {
    try (BlockDevice reader = specs.open(file.toString(), false);
        BlockDevice writer = specs.open(file.toString(), true);
        BlockDevice late = specs.open(file.toString(), false)) {
      for (BlockDevice device : List.of(reader, late)) {
        assertThat(device.capabilities()).isEmpty();
        assertThat(refusal(() -> device.write(0, ByteBuffer.allocate(1))).errno())
            .isEqualTo(Errno.EPERM);
        device.flush();
      }
      writer.write(0, ByteBuffer.wrap(new byte[] {7}));
      ByteBuffer dst = ByteBuffer.allocate(1);
      reader.read(0, dst);
      assertThat(dst.get(0)).isEqualTo((byte) 7);
    }
  }

  @Test
  void aFileThatCannotBeWrittenStaysOpenForReaders() throws IOException {
    AtomicBoolean writable = new AtomicBoolean();
    DeviceSpecs picky = new DeviceSpecs(List.of(new Scheme(writable)));
    try (BlockDevice reader = picky.open("test:a", false)) {
      assertThat(refusal(() -> picky.open("test:a", true)).errno()).isEqualTo(Errno.EACCES);
      reader.read(0, ByteBuffer.allocate(512));
      writable.set(true);
      picky.open("test:a", true).close();
      reader.read(0, ByteBuffer.allocate(512));
    }
  }

  /** Readers go on while the device is opened again under their hands. */
  @Test
  void readersDoNotNoticeThatItIsOpenedAgain() throws Exception {
    for (int round = 0; round < 50; round++) {
      AtomicBoolean done = new AtomicBoolean();
      try (BlockDevice reader = specs.open(file.toString(), false)) {
        Threads.runTogether(
            3,
            thread -> {
              if (thread == 0) {
                specs.open(file.toString(), true).close();
                done.set(true);
                return;
              }
              ByteBuffer dst = ByteBuffer.allocateDirect(4096);
              while (!done.get()) {
                reader.read(0, dst.clear());
                assertThat(dst.hasRemaining()).isFalse();
              }
            });
      }
    }
  }

  @Test
  void openingAndClosingByManyLosesNothing() throws Exception {
    Threads.runTogether(
        4,
        thread -> {
          for (int i = 0; i < 300; i++) {
            try (BlockDevice device = specs.open(file.toString(), i % 3 == 0)) {
              device.read(0, ByteBuffer.allocate(512));
            }
          }
        });
    FileDevice.open(file, true).close();
  }

  @ParameterizedTest
  @CsvSource({
    "mem:4096,4096",
    "mem:64K,65536",
    "mem:3m,3145728",
    "MEM:1G:x,1073741824",
    "mem:8B:y,8"
  })
  void memoryOfAnySize(String spec, long size) throws IOException {
    try (BlockDevice device = specs.open(spec, true)) {
      assertThat(device.size()).isEqualTo(size);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem:", "mem:0", "mem:-1", "mem:1X", "mem:x", "mem:1M:", "mem:99999999T"})
  void badSizesOfMemoryAreRefused(String spec) {
    assertThat(refusal(() -> specs.open(spec, true)).errno()).isEqualTo(Errno.EINVAL);
  }

  @Test
  void memoryWithoutALabelIsNewAndGetsOne() throws IOException {
    String name = specs.canonicalName("mem:4K");
    assertThat(name).matches("mem:4K:[0-9a-f]{8}").isNotEqualTo(specs.canonicalName("mem:4K"));
    assertThat(specs.canonicalName(name)).isEqualTo(name);
    try (BlockDevice first = specs.open(name, true);
        BlockDevice same = specs.open(name, false);
        BlockDevice other = specs.open("mem:4K", false)) {
      first.write(0, ByteBuffer.wrap(new byte[] {5}));
      ByteBuffer dst = ByteBuffer.allocate(1);
      same.read(0, dst);
      assertThat(dst.get(0)).isEqualTo((byte) 5);
      other.read(0, dst.clear());
      assertThat(dst.get(0)).isZero();
    }
  }

  @Test
  void aSchemeCanLieOnOthersAndReplaceOnes() throws IOException {
    DeviceSpecs layered =
        new DeviceSpecs(
            List.of(
                new Scheme(new AtomicBoolean(true)) {
                  @Override
                  public String name() {
                    return "mem";
                  }

                  @Override
                  public String canonicalName(String spec) {
                    return "mem:" + spec.replaceFirst("^mem:", "");
                  }

                  @Override
                  public BlockDevice open(String name, boolean writable, DeviceSpecs all)
                      throws IOException {
                    return CountingDevice.of(all.open(name.substring("mem:".length()), writable));
                  }
                }));
    try (BlockDevice device = layered.open("mem:" + file, true)) {
      assertThat(device.describe()).isEqualTo("counted file " + file);
    }
    FileDevice.open(file, true).close();
  }

  private static class Scheme implements DeviceScheme {
    private final AtomicBoolean writable;

    Scheme(AtomicBoolean writable) {
      this.writable = writable;
    }

    @Override
    public String name() {
      return "test";
    }

    @Override
    public String usage() {
      return "test:NAME";
    }

    @Override
    public String canonicalName(String spec) {
      return spec.startsWith("test:") ? spec : "test:" + spec;
    }

    @Override
    public BlockDevice open(String name, boolean wantsWritable, DeviceSpecs specs)
        throws IOException {
      if (wantsWritable && !writable.get()) {
        throw new DeviceException(Errno.EACCES, "cannot be written: " + name);
      }
      return MemoryDevice.ofSize(4096);
    }
  }
}
