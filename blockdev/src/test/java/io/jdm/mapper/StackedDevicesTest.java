package io.jdm.mapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Errno;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Mapped devices on mapped devices, many of them. */
class StackedDevicesTest {
  private static final int MAX_STACK = 128;

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();

  StackedDevicesTest() {
    disks.add("a", 1 << 20);
  }

  @AfterEach
  void close() {
    mapper.close();
    assertThat(disks.open()).isZero();
  }

  private void create(String name, String table) throws MapperException {
    mapper.create(DeviceDefinition.of(name, TableText.parse(table)));
  }

  private MapperException refusal(String name, String table) {
    return catchThrowableOfType(
        MapperException.class,
        () -> mapper.load(DeviceId.named(name), TableText.parse(table), false));
  }

  /** There are 2^60 ways from the lowest to the uppermost. */
  @Test
  void aLatticeOfDevicesIsSearchedOnce() throws Exception {
    create("l0", "0 8 linear disk:a 0");
    create("r0", "0 8 linear disk:a 8");
    for (int i = 1; i <= 60; i++) {
      String below = "0 4 linear mapper:l" + (i - 1) + " 0\n4 4 linear mapper:r" + (i - 1) + " 0";
      create("l" + i, below);
      create("r" + i, below);
    }
    create("other", "0 8 linear disk:a 16");
    assertThat(refusal("l0", "0 8 linear mapper:other 0")).isNull();
    assertThat(refusal("l0", "0 8 linear mapper:r60 0").detail())
        .contains("lies on mapped device l0");
    assertThat(refusal("l0", "0 8 linear mapper:l0 0").detail()).contains("lie on itself");
    try (BlockDevice top = mapper.open(DeviceId.named("l60"), true)) {
      top.write(0, ByteBuffer.allocate(4096));
    }
  }

  @Test
  void theHighestStackWorksAndOneMoreIsRefused() throws Exception {
    create("d1", "0 8 linear disk:a 0");
    for (int i = 2; i <= MAX_STACK; i++) {
      create("d" + i, "0 8 linear mapper:d" + (i - 1) + " 0");
    }
    try (BlockDevice top = mapper.open(DeviceId.named("d" + MAX_STACK), true)) {
      top.write(0, ByteBuffer.allocate(4096).put(0, (byte) 42));
      ByteBuffer read = ByteBuffer.allocate(4096);
      top.read(0, read);
      assertThat(read.get(0)).isEqualTo((byte) 42);
    }
    MapperException e =
        catchThrowableOfType(
            MapperException.class, () -> create("over", "0 8 linear mapper:d" + MAX_STACK + " 0"));
    assertThat(e.errno()).isEqualTo(Errno.ELOOP);
    assertThat(e.kernelLog().get(0)).contains("linear: Device lookup failed (-ELOOP)");

    create("base", "0 8 linear disk:a 8");
    assertThat(refusal("d1", "0 8 linear mapper:base 0").errno()).isEqualTo(Errno.ELOOP);
    assertThat(refusal("d1", "0 8 linear disk:a 8")).isNull();
  }

  /** What goes with its last close takes what it lies on along, however high the stack. */
  @Test
  void aStackOfDeferredRemovesGoesFromTheTop() throws Exception {
    create("d1", "0 8 linear disk:a 0");
    for (int i = 2; i <= MAX_STACK; i++) {
      create("d" + i, "0 8 linear mapper:d" + (i - 1) + " 0");
    }
    try (BlockDevice top = mapper.open(DeviceId.named("d" + MAX_STACK), true)) {
      assertThat(mapper.removeAll(true)).isEqualTo(MAX_STACK);
      top.write(0, ByteBuffer.allocate(512));
    }
    assertThat(mapper.list()).isEmpty();
    assertThat(disks.open()).isZero();
  }

  @Test
  void aRefusedTableIsForgottenByTheDevicesBelow() throws Exception {
    create("low", "0 8 linear disk:a 0");
    create("high", "0 8 linear disk:a 0");
    assertThat(refusal("high", "0 8 linear mapper:low 0\n8 8 linear mapper:nosuch 0").errno())
        .isEqualTo(Errno.ENODEV);
    assertThat(refusal("low", "0 8 linear mapper:high 0")).isNull();
    mapper.clear(DeviceId.named("low"));
    assertThat(refusal("high", "0 8 linear mapper:low 0")).isNull();
  }
}
