package io.jdm.mapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.layer.CountingDevice;
import io.jdm.blockdev.layer.FailingDevice;
import io.jdm.blockdev.layer.Fault;
import io.jdm.blockdev.layer.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every target owes the mapper, whatever it does with data. Those that keep data also run the
 * contract of block devices.
 */
@Timeout(60)
public abstract class TargetContract {
  /** Sectors of the target and of the disk. */
  protected static final int SECTORS = 512;

  private static final DeviceId ID = DeviceId.named("t");

  private final Disks disks = new Disks();
  private DeviceMapper mapper;

  /** The arguments of the target, with {@code DISK} for a disk of {@link #SECTORS}. */
  protected abstract String arguments();

  /** The type under test. */
  protected abstract TargetType type();

  @AfterEach
  void everythingIsReleased() {
    if (mapper != null) {
      mapper.close();
    }
    assertThat(disks.open()).as("disks left open").isZero();
  }

  private String table(String disk) {
    return "0 %d %s %s".formatted(SECTORS, type().name(), arguments().replace("DISK", disk));
  }

  private void create(boolean readOnly) throws MapperException {
    disks.add("d", SECTORS * 512L);
    mapper = DeviceMapper.builder().targetType(type()).deviceScheme(disks).build();
    TableText table = TableText.parse(table("disk:d"));
    mapper.create(new DeviceDefinition("t", "", -1, readOnly, table));
  }

  private String echo(Slot slot) throws MapperException {
    return mapper.table(ID, slot, true).stream()
        .map(TargetStatus::toString)
        .collect(Collectors.joining("\n"));
  }

  private boolean usesDisk() {
    return arguments().contains("DISK");
  }

  /** The first bytes, or the failure's error number. */
  private static Object read(BlockDevice device) {
    ByteBuffer dst = ByteBuffer.allocate(8 * 512);
    Throwable failure = catchThrowable(() -> device.read(0, dst));
    if (failure instanceof IOException e) {
      return DeviceException.errnoOf(e);
    }
    return dst.flip();
  }

  @Test
  void namesVersionAndUsage() {
    assertThat(type().name()).matches("[a-z0-9_-]{1,15}");
    assertThat(type().version().toString()).matches("\\d+\\.\\d+\\.\\d+");
    assertThat(type().usage()).isEqualTo(type().usage().trim());
  }

  @Test
  void theTableMakesTheSameTargetAgain() throws Exception {
    create(false);
    try (BlockDevice device = mapper.open(ID, true)) {
      Throwable refused =
          catchThrowable(
              () ->
                  device.write(
                      0, ByteBuffer.wrap("x".repeat(4096).getBytes(StandardCharsets.UTF_8))));
      Object before = read(device);
      String live = echo(Slot.LIVE);
      mapper.load(ID, TableText.parse(live), false);
      assertThat(echo(Slot.INACTIVE)).isEqualTo(live);
      mapper.resume(ID);
      assertThat(echo(Slot.LIVE)).isEqualTo(live);
      assertThat(read(device)).isEqualTo(before);
      assertThat(refused == null || refused instanceof IOException).isTrue();
    }
  }

  @Test
  void statusAndTableAnswerInEveryState() throws Exception {
    create(false);
    String status = mapper.status(ID, Slot.LIVE).toString();
    String table = echo(Slot.LIVE);
    mapper.suspend(ID);
    assertThat(mapper.status(ID, Slot.LIVE)).hasToString(status);
    assertThat(echo(Slot.LIVE)).isEqualTo(table);
    mapper.resume(ID);
    assertThat(mapper.status(ID, Slot.LIVE)).hasToString(status);
    assertThat(echo(Slot.LIVE)).isEqualTo(table).doesNotContain("\n");
  }

  @Test
  void suspendingAndResumingChangesNothing() throws Exception {
    create(false);
    try (BlockDevice device = mapper.open(ID, true)) {
      Object before = read(device);
      for (int i = 0; i < 3; i++) {
        mapper.suspend(ID);
        mapper.resume(ID);
      }
      assertThat(read(device)).isEqualTo(before);
    }
  }

  @Test
  void aReadOnlyTableOpensDevicesReadOnly() throws Exception {
    create(true);
    try (BlockDevice device = mapper.open(ID, true)) {
      DeviceException refusal =
          catchThrowableOfType(
              DeviceException.class, () -> device.write(0, ByteBuffer.allocate(4096)));
      assertThat(refusal.errno()).isEqualTo(Errno.EPERM);
    }
  }

  @Test
  void limitsAreAtLeastThoseOfTheDevice() throws Exception {
    create(false);
    try (BlockDevice device = mapper.open(ID, true)) {
      assertThat(device.limits().logicalBlockSize()).isGreaterThanOrEqualTo(512);
    }
  }

  @Test
  void flushFollowsWritesAndFuaIsKept() throws Exception {
    create(false);
    mapper.remove(ID, false);
    CountingDevice counting = disks.wrap("d", CountingDevice::of);
    mapper.create(DeviceDefinition.of("t", TableText.parse(table("disk:d"))));
    try (BlockDevice device = mapper.open(ID, true)) {
      Throwable refused =
          catchThrowable(
              () -> {
                device.writeFua(0, ByteBuffer.allocate(4096));
                device.flush();
              });
      if (refused == null && counting.requests(Operation.WRITE_FUA) > 0) {
        assertThat(counting.requests(Operation.FLUSH)).isPositive();
      }
      assertThat(counting.requests(Operation.WRITE)).as("FUA is not lost").isZero();
    }
  }

  @Test
  void aFailingDiskIsReportedAndSurvived() throws Exception {
    create(false);
    mapper.remove(ID, false);
    FailingDevice failing = disks.wrap("d", FailingDevice::of);
    mapper.create(DeviceDefinition.of("t", TableText.parse(table("disk:d"))));
    try (BlockDevice device = mapper.open(ID, true)) {
      Object before = read(device);
      failing.inject(Fault.range(0, Long.MAX_VALUE / 2, Fault.anything()));
      Object during = read(device);
      if (failing.failures() > 0) {
        assertThat(during).isEqualTo(Errno.EIO);
      }
      failing.heal();
      assertThat(read(device)).isEqualTo(before);
      mapper.suspend(ID);
      mapper.resume(ID);
    }
  }

  @Test
  void anUnknownMessageIsRefused() throws Exception {
    create(false);
    MapperException e =
        catchThrowableOfType(
            MapperException.class,
            () -> mapper.message(ID, 0, Arguments.split("no-such-message-anywhere")));
    assertThat(e.errno()).isEqualTo(Errno.EINVAL);
    assertThat(e.kernelLog()).hasSize(1);
  }

  @Test
  void aMissingDiskReleasesTheOthers() throws Exception {
    if (!usesDisk()) {
      return;
    }
    create(false);
    String last = table("disk:d");
    int at = last.lastIndexOf("disk:d");
    String missing = last.substring(0, at) + "disk:nosuch" + last.substring(at + 6);
    MapperException e =
        catchThrowableOfType(
            MapperException.class, () -> mapper.load(ID, TableText.parse(missing), false));
    assertThat(e.errno()).isEqualTo(Errno.ENODEV);
    mapper.remove(ID, false);
    assertThat(disks.open()).isZero();
  }

  @Test
  void everyShorterListOfArgumentsIsAcceptedOrRefusedCleanly() throws Exception {
    create(false);
    String[] words = table("disk:d").split(" ");
    for (int count = 3; count < words.length; count++) {
      String text = String.join(" ", Arrays.copyOf(words, count));
      Throwable refusal = catchThrowable(() -> mapper.load(ID, TableText.parse(text), false));
      if (refusal != null) {
        assertThat(refusal).as(text).isInstanceOf(MapperException.class);
        assertThat(((MapperException) refusal).kernelLog().get(0))
            .as(text)
            .startsWith("device-mapper: table: 253:0: " + type().name() + ": ");
      }
    }
    mapper.clear(ID);
  }
}
