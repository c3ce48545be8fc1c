package io.jdm.mapper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The state machine of spec/dm-core.md section 3, along the commands of
 * oracle/dmsetup-transcript.md.
 */
class DeviceMapperTest {
  private static final DeviceId C0 = DeviceId.named("c0");
  private static final DeviceId C1 = DeviceId.named("c1");
  private static final DeviceId NOSUCH = DeviceId.named("nosuch");

  private final ProbeType probe = new ProbeType("probe");
  private final Disks disks = new Disks();
  private final DeviceMapper mapper =
      DeviceMapper.builder()
          .targetType(probe)
          .targetType(new ProbeType("single", TargetType.Feature.SINGLETON))
          .targetType(new ProbeType("fixed", TargetType.Feature.IMMUTABLE))
          .targetType(new ProbeType("writer", TargetType.Feature.ALWAYS_WRITEABLE))
          .deviceScheme(disks)
          .build();

  @AfterEach
  void everythingIsReleased() {
    probe.permits.release(1_000_000);
    mapper.close();
    assertThat(disks.open()).isZero();
  }

  private DeviceInfo create(String name, String table) throws MapperException {
    return mapper.create(DeviceDefinition.of(name, TableText.parse(table)));
  }

  private DeviceInfo create(String name, String uuid, int minor) throws MapperException {
    return mapper.create(new DeviceDefinition(name, uuid, minor, false, TableText.of()));
  }

  private DeviceInfo load(DeviceId id, String table) throws MapperException {
    return mapper.load(id, TableText.parse(table), false);
  }

  private String table(DeviceId id, Slot slot) throws MapperException {
    return String.join(
        "\n", mapper.table(id, slot, false).stream().map(TargetStatus::toString).toList());
  }

  private static MapperException failure(ThrowingCallable call) {
    MapperException e = catchThrowableOfType(MapperException.class, call);
    assertThat(e).as("a MapperException").isNotNull();
    return e;
  }

  private static char readFirst(BlockDevice device) throws IOException {
    ByteBuffer sector = ByteBuffer.allocate(512);
    device.read(0, sector);
    assertThat(sector.hasRemaining()).isFalse();
    return (char) sector.get(0);
  }

  @Nested
  class Create {
    @Test
    void aNewDeviceHasNoTableAndIsNotSuspended() throws Exception {
      assertThat(create("c0", ""))
          .isEqualTo(
              new DeviceInfo(
                  "c0",
                  "",
                  new DeviceNumber(253, 0),
                  false,
                  false,
                  false,
                  false,
                  0,
                  0,
                  0,
                  0,
                  0,
                  false));
      assertThat(table(C0, Slot.LIVE)).isEmpty();
      assertThat(mapper.status(C0, Slot.LIVE)).isEmpty();
      assertThat(mapper.deps(C0, Slot.LIVE)).isEmpty();
    }

    @Test
    void allIoToADeviceWithoutATableFails() throws Exception {
      create("c0", "");
      try (BlockDevice device = mapper.open(C0, true)) {
        assertThat(device.size()).isZero();
        assertThatThrownBy(() -> readFirst(device)).isInstanceOf(DeviceException.class);
        DeviceException e = catchThrowableOfType(DeviceException.class, device::flush);
        assertThat(e.errno()).isEqualTo(Errno.EIO);
        assertThat(e).hasMessageEndingWith("mapped device c0 (253:0)");
      }
    }

    @Test
    void minorsAreTheLowestFreeOrTheWanted() throws Exception {
      create("c0", "");
      create("c1", "");
      create("c2", "");
      mapper.remove(C1, false);
      assertThat(create("a", "", 8).number()).hasToString("253:8");
      assertThat(create("b", "").number()).hasToString("253:1");
      assertThat(create("c", "").number()).hasToString("253:3");
      MapperException e = failure(() -> create("d", "", 8));
      assertThat(e.toolMessage())
          .isEqualTo("device-mapper: create ioctl on d (253:8) failed: Device or resource busy");
      assertThat(failure(() -> create("d", "", 1 << 20)).errno()).isEqualTo(Errno.EINVAL);
      assertThat(create("d", "", (1 << 20) - 1).number()).hasToString("253:1048575");
    }

    @Test
    void nameAndUuidAreUnique() throws Exception {
      create("c0", "CRYPT-TEST-1", -1);
      assertThat(failure(() -> create("c0", "")).toolMessage())
          .isEqualTo("device-mapper: create ioctl on c0  failed: Device or resource busy");
      assertThat(failure(() -> create("dupuuid", "CRYPT-TEST-1", -1)).toolMessage())
          .isEqualTo(
              "device-mapper: create ioctl on dupuuid CRYPT-TEST-1 failed: Device or resource"
                  + " busy");
      assertThat(mapper.info(DeviceId.withUuid("CRYPT-TEST-1")).name()).isEqualTo("c0");
      assertThat(mapper.info(DeviceId.numbered(253, 0)).name()).isEqualTo("c0");
      assertThat(failure(() -> mapper.info(DeviceId.numbered(7, 0))).errno())
          .isEqualTo(Errno.ENXIO);
    }

    @Test
    void badNamesAreRefusedWithTheWordsOfDmsetup() throws Exception {
      assertThat(failure(() -> create("bad/name", "")).toolMessage())
          .isEqualTo("Name \"bad/name\" invalid. It contains \"/\".");
      String long128 = "n".repeat(128);
      assertThat(failure(() -> create(long128, "")).toolMessage())
          .isEqualTo("Name \"" + long128 + "\" too long.");
      create("n".repeat(127), "");
      assertThat(failure(() -> create("\u00e9".repeat(64), "")).toolMessage())
          .as("bytes count")
          .endsWith("too long.");
      for (String reserved : List.of("control", ".", "..")) {
        assertThat(failure(() -> create(reserved, "")).kernelLog())
            .containsExactly(
                "device-mapper: ioctl: device name cannot be \"control\", \".\", or \"..\"");
      }
      assertThat(failure(() -> create("", "")).kernelLog())
          .containsExactly("device-mapper: ioctl: name not supplied when creating device");
      String uuid129 = "u".repeat(129);
      assertThat(failure(() -> create("x", uuid129, -1)).toolMessage())
          .isEqualTo(
              "Mangled form of the UUID too long for \""
                  + uuid129
                  + "\".\nFailed to mangle device uuid \""
                  + uuid129
                  + "\".");
      create("x", "u".repeat(128), -1);
    }

    @Test
    void aFailedResumeRemovesTheDeviceAgain() {
      probe.refusesResume = "b";
      MapperException e = failure(() -> create("c0", "0 8 probe a\n8 8 probe b"));
      assertThat(e.toolMessage())
          .isEqualTo(
              "device-mapper: resume ioctl on c0 (253:0) failed: Resource temporarily unavailable");
      assertThat(mapper.list()).isEmpty();
      assertThat(probe.calls).endsWith("preresume a", "preresume b", "close a", "close b");
    }

    @Test
    void targetsAreListedTheLatestFirst() {
      assertThat(mapper.targets())
          .extracting(TargetType::name)
          .containsExactly(
              "writer", "fixed", "single", "probe", "dust", "flakey", "delay", "zero", "striped",
              "linear", "error");
    }
  }

  @Nested
  class Missing {
    private void check(String word, ThrowingCallable call) {
      MapperException e = failure(call);
      assertThat(e.toolMessage())
          .isEqualTo(
              "device-mapper: " + word + " ioctl on nosuch  failed: No such device or address");
      assertThat(e.errno()).isEqualTo(Errno.ENXIO);
      assertThat(e.kernelLog()).isEmpty();
    }

    @Test
    void everyOperationSaysSoWithItsWord() {
      check("suspend", () -> mapper.suspend(NOSUCH));
      check("resume", () -> mapper.resume(NOSUCH));
      check("reload", () -> load(NOSUCH, "0 8 zero"));
      check("clear", () -> mapper.clear(NOSUCH));
      check("remove", () -> mapper.remove(NOSUCH, false));
      check("table", () -> mapper.table(NOSUCH, Slot.LIVE, false));
      check("status", () -> mapper.status(NOSUCH, Slot.LIVE));
      check("deps", () -> mapper.deps(NOSUCH, Slot.LIVE));
      check("info", () -> mapper.info(NOSUCH));
      check("waitevent", () -> mapper.waitEvent(NOSUCH, 0, Duration.ZERO));
      check("message", () -> mapper.message(NOSUCH, 0, Arguments.split("key wipe")));
      check("table", () -> mapper.wipeTable(NOSUCH));
      assertThat(failure(() -> mapper.remove(DeviceId.withUuid("nosuchuuid"), false)).toolMessage())
          .isEqualTo(
              "device-mapper: remove ioctl on  nosuchuuid failed: No such device or address");
      assertThat(failure(() -> mapper.suspend(DeviceId.numbered(253, 7))).toolMessage())
          .isEqualTo("device-mapper: suspend ioctl on  (253:7) failed: No such device or address");
    }
  }

  @Nested
  class TwoTables {
    @Test
    void loadPutsATableAsideAndResumeSwapsIt() throws Exception {
      DeviceInfo info = create("c0", "0 8192 probe a");
      assertThat(info.live() && !info.inactive() && info.targets() == 1).isTrue();
      info = load(C0, "0 1024 probe b\n1024 3072 zero");
      assertThat(info.live() && info.inactive()).isTrue();
      assertThat(info.targets()).isEqualTo(1);
      assertThat(info.inactiveTargets()).isEqualTo(2);
      assertThat(info.sectors()).isEqualTo(8192);
      assertThat(table(C0, Slot.LIVE)).isEqualTo("0 8192 probe a");
      assertThat(table(C0, Slot.INACTIVE)).isEqualTo("0 1024 probe b\n1024 3072 zero ");
      assertThat(mapper.status(C0, Slot.INACTIVE)).hasSize(2);

      info = mapper.clear(C0);
      assertThat(info.live() && !info.inactive()).isTrue();
      assertThat(probe.calls).endsWith("close b");
      assertThat(mapper.clear(C0).inactive()).isFalse();

      load(C0, "0 4096 probe c");
      load(C0, "0 2048 probe d");
      assertThat(probe.calls).as("silently replaced").endsWith("create d", "close c");
      info = mapper.resume(C0);
      assertThat(info.live() && !info.inactive() && !info.suspended()).isTrue();
      assertThat(info.sectors()).isEqualTo(2048);
      assertThat(info.eventNumber()).isZero();
      assertThat(table(C0, Slot.LIVE)).isEqualTo("0 2048 probe d");
    }

    @Test
    void aRefusedTableLeavesBothSlotsAlone() throws Exception {
      create("c0", "0 8 probe a");
      load(C0, "0 8 probe b");
      MapperException e = failure(() -> load(C0, "0 8 probe c\n8 8 bogus"));
      assertThat(e.kernelLog())
          .containsExactly(
              "device-mapper: table: 253:0: bogus: unknown target type",
              "device-mapper: ioctl: error adding target to table");
      assertThat(probe.calls).as("what was made is released").endsWith("create c", "close c");
      assertThat(failure(() -> mapper.load(C0, TableText.of(), false)).kernelLog())
          .containsExactly("device-mapper: ioctl: populate_table: no targets specified");
      assertThat(table(C0, Slot.LIVE)).isEqualTo("0 8 probe a");
      assertThat(table(C0, Slot.INACTIVE)).isEqualTo("0 8 probe b");
    }

    @Test
    void resumeDoesNothingToARunningDeviceWithoutAnInactiveTable() throws Exception {
      create("c0", "0 8 probe a");
      probe.calls.clear();
      mapper.resume(C0);
      assertThat(probe.calls).isEmpty();
      create("c1", "");
      assertThat(mapper.resume(C1).live()).isFalse();
    }

    @Test
    void aSuspendedDeviceWithoutATableCannotBeResumed() throws Exception {
      create("c0", "");
      assertThat(mapper.suspend(C0).suspended()).isTrue();
      assertThat(failure(() -> mapper.resume(C0)).errno()).isEqualTo(Errno.EINVAL);
      load(C0, "0 8 zero");
      assertThat(mapper.resume(C0).suspended()).isFalse();
    }

    @Test
    void theSizeOfOpenHandlesFollowsTheTable() throws Exception {
      create("c0", "0 8 probe a");
      try (BlockDevice device = mapper.open(C0, false)) {
        assertThat(device.size()).isEqualTo(8 * 512);
        load(C0, "0 16 probe b 4096");
        assertThat(device.size()).isEqualTo(8 * 512);
        mapper.resume(C0);
        assertThat(device.size()).isEqualTo(16 * 512);
        assertThat(device.limits().logicalBlockSize()).isEqualTo(4096);
      }
    }

    @Test
    void wipeTableReplacesItByOneErrorTarget() throws Exception {
      create("c0", "0 512 probe a\n512 512 zero");
      mapper.wipeTable(C0);
      assertThat(table(C0, Slot.LIVE)).isEqualTo("0 1024 error ");
      try (BlockDevice device = mapper.open(C0, true)) {
        DeviceException e = catchThrowableOfType(DeviceException.class, () -> readFirst(device));
        assertThat(e.errno()).isEqualTo(Errno.EIO);
        device.flush();
      }
    }
  }

  @Nested
  class SuspendAndResume {
    @Test
    void theHooksComeInTheKernelsOrder() throws Exception {
      create("c0", "0 8 probe a\n8 8 probe b");
      assertThat(probe.calls)
          .containsExactly(
              "create a", "create b", "preresume a", "preresume b", "resume a", "resume b");
      probe.calls.clear();
      assertThat(mapper.suspend(C0).suspended()).isTrue();
      assertThat(probe.calls)
          .containsExactly("presuspend a", "presuspend b", "postsuspend a", "postsuspend b");
      probe.calls.clear();
      mapper.suspend(C0);
      assertThat(probe.calls).as("suspended already").isEmpty();
      load(C0, "0 8 probe c");
      mapper.resume(C0);
      assertThat(probe.calls)
          .containsExactly("create c", "preresume c", "resume c", "close a", "close b");
      probe.calls.clear();
      load(C0, "0 8 probe d");
      mapper.resume(C0);
      assertThat(probe.calls)
          .containsExactly(
              "create d", "presuspend c", "postsuspend c", "preresume d", "resume d", "close c");
    }

    @Test
    void aRefusalLeavesTheDeviceSuspendedWithTheNewTable() throws Exception {
      create("c0", "0 8 probe a");
      load(C0, "0 8 zero\n8 8 probe b");
      probe.refusesResume = "b";
      MapperException e = failure(() -> mapper.resume(C0));
      assertThat(e.toolMessage())
          .isEqualTo("device-mapper: resume ioctl on c0  failed: Resource temporarily unavailable");
      assertThat(e.kernelLog())
          .containsExactly(
              "device-mapper: probe: aborting resume - not ready.",
              "device-mapper: table: 253:0: probe: preresume failed, error = -11");
      DeviceInfo info = mapper.info(C0);
      assertThat(info.suspended() && info.live() && !info.inactive()).isTrue();
      assertThat(table(C0, Slot.LIVE)).isEqualTo("0 8 zero \n8 8 probe b");
      assertThat(probe.calls).endsWith("preresume b", "close a");
      probe.refusesResume = "";
      assertThat(mapper.resume(C0).suspended()).isFalse();
    }

    @Test
    void suspendWaitsForRequestsInFlight() throws Exception {
      create("c0", "0 8 probe a");
      try (BlockDevice device = mapper.open(C0, false)) {
        probe.permits.drainPermits();
        var read = Running.start(() -> readFirst(device)).untilItWaits();
        var suspend = Running.start(() -> mapper.suspend(C0)).untilItWaits();
        assertThat(mapper.info(C0).suspended()).as("not yet, and info does not wait").isFalse();
        assertThat(table(C0, Slot.LIVE)).isEqualTo("0 8 probe a");
        load(C0, "0 8 probe b");
        probe.permits.release(1_000);
        assertThat(read.result()).isEqualTo('a');
        assertThat(suspend.result().suspended()).isTrue();
        assertThat(probe.calls).contains("postsuspend a");
      }
    }

    @Test
    void anInterruptWhileItWaitsUndoesIt() throws Exception {
      create("c0", "0 8 probe a");
      try (BlockDevice device = mapper.open(C0, false)) {
        probe.permits.drainPermits();
        var held = Running.start(() -> readFirst(device)).untilItWaits();
        var suspend =
            Running.start(
                () -> {
                  MapperException e = failure(() -> mapper.suspend(C0));
                  assertThat(Thread.interrupted()).as("interrupt status").isTrue();
                  return e;
                });
        suspend.untilItWaits();
        suspend.thread().interrupt();
        assertThat(suspend.result().errno()).isEqualTo(Errno.EINTR);
        assertThat(probe.calls).endsWith("presuspend a", "presuspendUndo a");
        probe.permits.release(1_000);
        assertThat(held.result()).isEqualTo('a');
        assertThat(readFirst(device)).as("I/O goes on").isEqualTo('a');
      }
    }

    @Test
    void ioOfASuspendedDeviceWaitsAndGoesToTheNewTable() throws Exception {
      create("c0", "0 8 probe a");
      try (BlockDevice device = mapper.open(C0, true)) {
        mapper.suspend(C0);
        var read = Running.start(() -> readFirst(device)).untilItWaits();
        var flush =
            Running.start(
                () -> {
                  device.flush();
                  return 0;
                });
        flush.untilItWaits();
        load(C0, "0 8 probe b");
        mapper.resume(C0);
        assertThat(read.result()).isEqualTo('b');
        flush.result();
      }
    }

    @Test
    void aWaitingCallerKeepsItsInterruptStatus() throws Exception {
      create("c0", "0 8 probe a");
      try (BlockDevice device = mapper.open(C0, false)) {
        mapper.suspend(C0);
        var read =
            Running.start(
                () -> {
                  Thread.currentThread().interrupt();
                  char c = readFirst(device);
                  assertThat(Thread.interrupted()).as("interrupt status").isTrue();
                  return c;
                });
        read.untilItWaits();
        read.thread().interrupt();
        mapper.resume(C0);
        assertThat(read.result()).isEqualTo('a');
      }
    }

    @Test
    void aRequestThatDoesNotFitTheNewTableFails() throws Exception {
      create("c0", "0 16 probe a");
      try (BlockDevice device = mapper.open(C0, true)) {
        mapper.suspend(C0);
        var beyond =
            Running.start(
                () -> {
                  device.read(8 * 512, ByteBuffer.allocate(512));
                  return 0;
                });
        beyond.untilItWaits();
        var misaligned =
            Running.start(
                () -> {
                  device.write(512, ByteBuffer.allocate(512));
                  return 0;
                });
        misaligned.untilItWaits();
        load(C0, "0 8 probe b 4096");
        mapper.resume(C0);
        assertThatThrownBy(beyond::result).hasMessageContaining("does not fit");
        assertThatThrownBy(misaligned::result).hasMessageContaining("does not fit");
      }
    }

    @Test
    void aTableThatNoLongerFitsLeavesTheDeviceSuspendedWithTheOldOne() throws Exception {
      create("c0", "0 16 zero");
      create("c1", "0 16 linear 253:0 0");
      load(C1, "0 8 linear 253:0 8");
      load(C0, "0 8 zero");
      mapper.resume(C0);
      MapperException e = failure(() -> mapper.resume(C1));
      assertThat(e.kernelLog())
          .containsExactly(
              "device-mapper: table: 253:1: dm-0 too small for target: start=8, len=8, dev_size=8");
      assertThat(e.errno()).isEqualTo(Errno.EINVAL);
      DeviceInfo info = mapper.info(C1);
      assertThat(info.suspended() && info.live() && !info.inactive()).isTrue();
      assertThat(table(C1, Slot.LIVE)).isEqualTo("0 16 linear 253:0 0");
    }

    @Test
    void laterTablesAreComparedWithDevicesAtTheSwapOnly() throws Exception {
      disks.add("d", 8 * 512);
      create("c0", "0 8 linear disk:d 0");
      assertThat(load(C0, "0 9 linear disk:d 0").inactive()).isTrue();
      assertThat(failure(() -> mapper.resume(C0)).kernelLog())
          .containsExactly(
              "device-mapper: table: 253:0: disk:d too small for target: start=0, len=9,"
                  + " dev_size=8");
      assertThat(mapper.info(C0).suspended()).isTrue();
      assertThat(mapper.resume(C0).suspended()).isFalse();
    }
  }

  @Nested
  class Rename {
    @Test
    void eachRenameOfADeviceWithATableIsAnEvent() throws Exception {
      create("c0", "0 8 zero");
      DeviceId c0new = DeviceId.named("c0new");
      assertThat(mapper.rename(C0, "c0new").eventNumber()).isEqualTo(1);
      assertThat(mapper.rename(c0new, "c0").eventNumber()).isEqualTo(2);
      assertThat(mapper.setUuid(C0, "NEW-UUID-0").eventNumber()).isEqualTo(3);
      assertThat(mapper.info(DeviceId.withUuid("NEW-UUID-0")).name()).isEqualTo("c0");
      assertThat(failure(() -> mapper.info(c0new)).errno()).isEqualTo(Errno.ENXIO);
      create("c1", "");
      assertThat(mapper.rename(C1, "c2").eventNumber()).isZero();
    }

    @Test
    void refusalsHaveTheKernelsWords() throws Exception {
      create("c0", "0 8 zero");
      create("c1", "U1", -1);
      MapperException e = failure(() -> mapper.rename(C0, "c1"));
      assertThat(e.toolMessage())
          .isEqualTo("device-mapper: rename ioctl on c0  failed: Device or resource busy");
      assertThat(e.kernelLog())
          .containsExactly(
              "device-mapper: ioctl: Unable to change name on mapped device c0 to one that already"
                  + " exists: c1");
      assertThat(failure(() -> mapper.rename(NOSUCH, "x")).kernelLog())
          .containsExactly(
              "device-mapper: ioctl: Unable to rename non-existent device, nosuch to x");
      assertThat(failure(() -> mapper.setUuid(NOSUCH, "x")).kernelLog())
          .containsExactly(
              "device-mapper: ioctl: Unable to rename non-existent device, nosuch to uuid x");
      assertThat(failure(() -> mapper.setUuid(C0, "U1")).kernelLog())
          .containsExactly(
              "device-mapper: ioctl: Unable to change uuid on mapped device c0 to one that already"
                  + " exists: U1");
      mapper.setUuid(C0, "NEW-UUID-0");
      e = failure(() -> mapper.setUuid(C0, "AGAIN"));
      assertThat(e.errno()).isEqualTo(Errno.EINVAL);
      assertThat(e.kernelLog())
          .containsExactly(
              "device-mapper: ioctl: Unable to change uuid of mapped device c0 to AGAIN because"
                  + " uuid is already set to NEW-UUID-0");
      assertThat(failure(() -> mapper.rename(C0, "bad/name")).toolMessage())
          .isEqualTo("Name \"bad/name\" invalid. It contains \"/\".");
      String long130 = "n".repeat(130);
      assertThat(failure(() -> mapper.rename(C0, long130)).toolMessage())
          .isEqualTo("Name \"" + long130 + "\" too long");
      assertThat(failure(() -> mapper.rename(C0, "")).toolMessage())
          .isEqualTo("Non empty new name is required.");
      assertThat(failure(() -> mapper.setUuid(C1, "")).kernelLog())
          .containsExactly(
              "device-mapper: ioctl: Invalid new mapped device name or uuid string supplied.");
    }
  }

  @Nested
  class Events {
    @Test
    void waitReturnsAtOnceWhenTheCounterIsAnother() throws Exception {
      create("c0", "0 8 zero");
      assertThat(mapper.waitEvent(C0, 7, Duration.ofDays(1))).isZero();
      mapper.rename(C0, "c0x");
      mapper.rename(DeviceId.named("c0x"), "c0");
      assertThat(mapper.waitEvent(C0, 0, Duration.ofDays(1))).isEqualTo(2);
      assertThat(mapper.waitEvent(C0, 2, Duration.ofMillis(1))).as("time is over").isEqualTo(2);
    }

    @Test
    void waitersSeeRenamesTargetEventsAndRemoval() throws Exception {
      create("c0", "0 8 probe a");
      Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
      var waiting = Running.start(() -> mapper.waitEvent(C0, 0, forever)).untilItWaits();
      mapper.suspend(C0);
      load(C0, "0 8 probe b");
      mapper.resume(C0);
      waiting.untilItWaits();
      mapper.rename(C0, "renamed");
      assertThat(waiting.result()).isEqualTo(1);
      DeviceId renamed = DeviceId.named("renamed");
      waiting = Running.start(() -> mapper.waitEvent(renamed, 1, forever)).untilItWaits();
      probe.event.run();
      assertThat(waiting.result()).isEqualTo(2);
      waiting = Running.start(() -> mapper.waitEvent(renamed, 2, forever)).untilItWaits();
      mapper.remove(renamed, false);
      assertThat(waiting.result()).isEqualTo(3);
    }

    @Test
    void aDeviceWithoutATableGoesWithoutAnEvent() throws Exception {
      create("c0", "");
      var waiting = Running.start(() -> mapper.waitEvent(C0, 0, Duration.ofDays(1))).untilItWaits();
      mapper.remove(C0, false);
      assertThatThrownBy(waiting::result)
          .isInstanceOf(MapperException.class)
          .hasMessageContaining("waitevent ioctl on c0  failed: No such device or address");
    }
  }

  @Nested
  class ReadOnly {
    @Test
    void theModeIsTheLiveTables() throws Exception {
      DeviceInfo info =
          mapper.create(
              new DeviceDefinition("ro1", "", -1, true, TableText.parse("0 8 linear mem:1M 8")));
      assertThat(info.readOnly()).isTrue();
      DeviceId ro1 = DeviceId.named("ro1");
      try (BlockDevice device = mapper.open(ro1, true)) {
        assertThat(device.capabilities()).isEmpty();
        DeviceException e =
            catchThrowableOfType(
                DeviceException.class, () -> device.write(0, ByteBuffer.allocate(512)));
        assertThat(e.errno()).isEqualTo(Errno.EPERM);
        load(ro1, "0 8 zero");
        assertThat(mapper.info(ro1).readOnly()).isTrue();
        assertThat(mapper.resume(ro1).readOnly()).isFalse();
        device.write(0, ByteBuffer.allocate(512));
        mapper.load(ro1, TableText.parse("0 8 zero"), true);
        mapper.suspend(ro1);
        var write =
            Running.start(
                () -> {
                  device.write(0, ByteBuffer.allocate(512));
                  return 0;
                });
        write.untilItWaits();
        mapper.resume(ro1);
        assertThatThrownBy(write::result).hasMessageContaining("read-only");
      }
    }

    @Test
    void aHandleForReadingCannotWrite() throws Exception {
      create("c0", "0 8 zero");
      try (BlockDevice device = mapper.open(C0, false)) {
        assertThat(device.capabilities()).isEmpty();
      }
      try (BlockDevice device = mapper.open(C0, true)) {
        assertThat(device.capabilities())
            .isEqualTo(Set.of(Capability.WRITE, Capability.DISCARD, Capability.FAST_ZERO));
      }
    }
  }

  @Nested
  class Remove {
    @Test
    void anOpenDeviceIsBusy() throws Exception {
      create("c0", "0 8 zero");
      BlockDevice device = mapper.open(C0, false);
      assertThat(mapper.info(C0).openCount()).isEqualTo(1);
      MapperException e = failure(() -> mapper.remove(C0, false));
      assertThat(e.toolMessage())
          .isEqualTo("device-mapper: remove ioctl on c0  failed: Device or resource busy");
      device.close();
      device.close();
      assertThat(mapper.info(C0).openCount()).isZero();
      assertThat(mapper.remove(C0, false)).isTrue();
      assertThat(mapper.list()).isEmpty();
    }

    @Test
    void aDeviceUnderAnotherIsBusyAndSaysWhose() throws Exception {
      create("c0", "0 8 zero");
      create("busy1", "0 8 linear 253:0 0");
      MapperException e = failure(() -> mapper.remove(C0, false));
      assertThat(e.errno()).isEqualTo(Errno.EBUSY);
      assertThat(e.detail()).isEqualTo("open count is 1, used by mapped device busy1 (253:1)");
      mapper.remove(DeviceId.named("busy1"), false);
      mapper.remove(C0, false);
    }

    @Test
    void aDeferredRemoveHappensAtTheLastClose() throws Exception {
      create("multi", "0 8 probe a");
      DeviceId multi = DeviceId.named("multi");
      BlockDevice first = mapper.open(multi, false);
      BlockDevice second = mapper.open(multi, false);
      assertThat(mapper.remove(multi, true)).isFalse();
      assertThat(mapper.info(multi).deferredRemove()).isTrue();
      first.close();
      assertThat(mapper.info(multi).openCount()).isEqualTo(1);
      assertThat(readFirst(second)).isEqualTo('a');
      second.close();
      assertThat(mapper.list()).isEmpty();
      assertThat(probe.calls).endsWith("close a");
    }

    @Test
    void aDeferredRemoveCanBeCancelled() throws Exception {
      create("c0", "0 8 zero");
      try (BlockDevice device = mapper.open(C0, false)) {
        mapper.remove(C0, true);
        assertThat(device.isOpen()).isTrue();
        assertThat(mapper.message(C0, 0, Arguments.split("@cancel_deferred_remove"))).isEmpty();
        assertThat(mapper.info(C0).deferredRemove()).isFalse();
      }
      assertThat(mapper.list()).hasSize(1);
      assertThat(mapper.remove(C0, true)).as("nobody has it open").isTrue();
    }

    @Test
    void aDeferredRemoveGoesDownAStack() throws Exception {
      create("low", "0 8 probe a");
      create("mid", "0 8 linear 253:0 0");
      create("top", "0 8 linear 253:1 0");
      mapper.remove(DeviceId.named("low"), true);
      mapper.remove(DeviceId.named("mid"), true);
      assertThat(mapper.list()).hasSize(3);
      mapper.remove(DeviceId.named("top"), false);
      assertThat(mapper.list()).isEmpty();
      assertThat(probe.calls).endsWith("presuspend a", "postsuspend a", "close a");
    }

    @Test
    void aSuspendedDeviceCanBeOpenedClosedAndRemoved() throws Exception {
      create("c0", "0 8 probe a");
      mapper.suspend(C0);
      load(C0, "0 8 probe b");
      mapper.open(C0, true).close();
      probe.calls.clear();
      mapper.remove(C0, false);
      assertThat(probe.calls).as("no second suspending").containsExactly("close a", "close b");
    }

    @Test
    void requestsThatWaitAreTurnedAway() throws Exception {
      create("c0", "0 8 probe a");
      BlockDevice device = mapper.open(C0, false);
      mapper.suspend(C0);
      var read = Running.start(() -> readFirst(device)).untilItWaits();
      device.close();
      mapper.remove(C0, false);
      DeviceException e = catchThrowableOfType(DeviceException.class, read::result);
      assertThat(e.errno()).isEqualTo(Errno.ENODEV);
    }

    @Test
    void requestsOfClosedHandlesKeepADeviceBusyButNobodyWaitsForThem() throws Exception {
      create("c0", "0 8 probe a");
      BlockDevice device = mapper.open(C0, false);
      probe.permits.drainPermits();
      var read = Running.start(() -> readFirst(device)).untilItWaits();
      device.close();
      MapperException e = failure(() -> mapper.remove(C0, false));
      assertThat(e.errno()).isEqualTo(Errno.EBUSY);
      assertThat(e.detail()).isEqualTo("requests of closed handles are in flight");
      assertThat(mapper.removeAll(false)).isEqualTo(1);
      assertThat(mapper.remove(C0, true)).isTrue();
      assertThat(mapper.list()).isEmpty();
      assertThat(probe.calls).doesNotContain("close a");
      assertThat(create("c1", "").number().minor()).as("its number is not free yet").isEqualTo(1);
      probe.permits.release(1_000);
      assertThat(read.result()).isEqualTo('a');
      await().until(() -> probe.calls.contains("close a"));
    }

    /** Its request hangs in the suspended device below. */
    @Test
    void theLastCloseOfADeferredRemoveDoesNotWait() throws Exception {
      create("low", "0 8 probe a");
      create("top", "0 8 linear mapper:low 0");
      DeviceId low = DeviceId.named("low");
      DeviceId top = DeviceId.named("top");
      BlockDevice device = mapper.open(top, false);
      mapper.suspend(low);
      var read = Running.start(() -> readFirst(device)).untilItWaits();
      mapper.remove(top, true);
      mapper.remove(low, true);
      device.close();
      assertThat(mapper.list()).extracting(DeviceInfo::name).containsExactly("low");
      mapper.resume(low);
      assertThat(read.result()).isEqualTo('a');
      await().until(() -> mapper.list().isEmpty() && probe.calls.contains("close a"));
    }

    @Test
    void closingTheMapperWaitsForRemovesUnderWay() throws Exception {
      create("c0", "0 8 probe a");
      BlockDevice device = mapper.open(C0, false);
      probe.permits.drainPermits();
      var read = Running.start(() -> readFirst(device)).untilItWaits();
      device.close();
      mapper.remove(C0, true);
      var close =
          Running.start(
              () -> {
                mapper.close();
                return probe.calls.contains("close a");
              });
      close.untilItWaits();
      probe.permits.release(1_000);
      assertThat(close.result()).isTrue();
      assertThat(read.result()).isEqualTo('a');
    }

    @Test
    void removeAllTakesStacksFromTheTopAndLeavesWhatIsOpen() throws Exception {
      create("low", "0 8 zero");
      create("mid", "0 8 linear mapper:low 0");
      create("top", "0 8 linear mapper:mid 0");
      create("open", "0 8 zero");
      try (BlockDevice device = mapper.open(DeviceId.named("open"), false)) {
        assertThat(device.isOpen()).isTrue();
        assertThat(mapper.removeAll(false)).isEqualTo(1);
        assertThat(mapper.list()).extracting(DeviceInfo::name).containsExactly("open");
        assertThat(mapper.removeAll(true)).isEqualTo(1);
      }
      assertThat(mapper.list()).isEmpty();
      assertThat(mapper.removeAll(false)).isZero();
    }

    @Test
    void closingTheMapperEndsWhatIsOpenStackedSuspendedAndWaiting() throws Exception {
      disks.add("d", 1 << 20);
      create("c0", "0 8 linear disk:d 0");
      create("c1", "0 8 linear 253:0 0");
      BlockDevice device = mapper.open(C1, true);
      mapper.suspend(C0);
      var read = Running.start(() -> readFirst(device)).untilItWaits();
      var suspend = Running.start(() -> mapper.suspend(C1)).untilItWaits();
      mapper.close();
      assertThat(catchThrowableOfType(DeviceException.class, read::result).errno())
          .isEqualTo(Errno.ENODEV);
      assertThat(suspend.task()).satisfies(task -> await().until(task::isDone));
      assertThat(catchThrowableOfType(DeviceException.class, device::flush).errno())
          .isEqualTo(Errno.ENODEV);
      device.close();
      assertThatThrownBy(() -> create("x", "")).isInstanceOf(IllegalStateException.class);
    }
  }

  @Nested
  class Message {
    private MapperException refused(long sector, String words) {
      return failure(() -> mapper.message(C0, sector, Arguments.split(words)));
    }

    @Test
    void theTargetAtTheSectorAnswers() throws Exception {
      create("c0", "0 8 probe a\n8 8 probe b\n16 8 zero");
      assertThat(mapper.message(C0, 7, Arguments.split("hello"))).isEqualTo("reply of a");
      assertThat(mapper.message(C0, 8, Arguments.split("hello"))).isEqualTo("reply of b");
      MapperException e = refused(0, "bad");
      assertThat(e.toolMessage())
          .isEqualTo("device-mapper: message ioctl on c0  failed: Invalid argument");
      assertThat(e.kernelLog())
          .containsExactly("device-mapper: probe: unrecognised message received.");
      assertThat(e.detail()).isEqualTo("found 'bad'");
      assertThat(refused(0, "silent").kernelLog()).isEmpty();
      assertThat(refused(16, "hello").kernelLog())
          .containsExactly("device-mapper: ioctl: Target type does not support messages");
      for (long outside : new long[] {24, 99999, Long.MAX_VALUE, -1}) {
        assertThat(refused(outside, "hello").kernelLog())
            .containsExactly("device-mapper: ioctl: Target message sector outside device.");
      }
      assertThat(refused(0, " ").kernelLog())
          .containsExactly("device-mapper: ioctl: Empty message received.");
      assertThat(refused(0, "@bogus").kernelLog())
          .containsExactly("device-mapper: ioctl: Unsupported message sent to DM core: @bogus");
      assertThat(refused(0, "@cancel_deferred_remove x").errno()).isEqualTo(Errno.EINVAL);
    }

    @Test
    void aDeviceWithoutATableAnswersNone() throws Exception {
      create("c0", "");
      MapperException e = refused(0, "hello");
      assertThat(e.errno()).isEqualTo(Errno.ENXIO);
      assertThat(e.kernelLog()).containsExactly("device-mapper: ioctl: The device has no table.");
    }
  }

  @Nested
  class Stacks {
    @Test
    void depsAreEachOnceTheLastOpenedFirst() throws Exception {
      disks.add("d", 1 << 20);
      create("c0", "0 8 zero");
      create("c1", "0 4 linear disk:d 0\n4 4 linear 253:0 0\n8 8 linear disk:d 8");
      List<Dependency> deps = mapper.deps(C1, Slot.LIVE);
      assertThat(deps).extracting(Dependency::name).containsExactly("253:0", "disk:d");
      assertThat(deps.get(0).number()).contains(new DeviceNumber(253, 0));
      assertThat(deps.get(1).number()).isEmpty();
      assertThat(mapper.info(C0).openCount()).isEqualTo(1);
      assertThat(mapper.deps(C1, Slot.INACTIVE)).isEmpty();
    }

    @Test
    void cyclesAreRefusedDirectThroughAStackAndThroughInactiveTables() throws Exception {
      create("c0", "0 8 zero");
      create("c1", "0 8 linear 253:0 0");
      create("c2", "0 8 linear mapper:c1 0");
      for (String itself : List.of("253:0", "mapper:c0", "mapper:c1", "253:2")) {
        MapperException e = failure(() -> load(C0, "0 8 linear " + itself + " 0"));
        assertThat(e.kernelLog().get(0))
            .isEqualTo("device-mapper: table: 253:0: linear: Device lookup failed (-EINVAL)");
        assertThat(e.detail()).contains("itself");
      }
      create("c3", "0 8 zero");
      load(DeviceId.named("c3"), "0 8 linear mapper:c2 0");
      assertThat(failure(() -> load(C0, "0 8 linear mapper:c3 0")).errno()).isEqualTo(Errno.EINVAL);
      mapper.clear(DeviceId.named("c3"));
      load(C0, "0 8 linear mapper:c3 0");
    }

    @Test
    void aBusyUpperDeviceWaitsForTheLowerOne() throws Exception {
      create("c0", "0 8 probe a");
      create("c1", "0 8 linear 253:0 0");
      try (BlockDevice device = mapper.open(C1, false)) {
        mapper.suspend(C0);
        var read = Running.start(() -> readFirst(device)).untilItWaits();
        var suspend = Running.start(() -> mapper.suspend(C1)).untilItWaits();
        assertThat(mapper.info(C1).suspended()).isFalse();
        mapper.resume(C0);
        assertThat(read.result()).isEqualTo('a');
        assertThat(suspend.result().suspended()).isTrue();
      }
    }
  }

  @Nested
  class TypeFeatures {
    private void refused(String table, boolean readOnly, String words) {
      MapperException e =
          failure(
              () ->
                  mapper.create(
                      new DeviceDefinition("x", "", -1, readOnly, TableText.parse(table))));
      assertThat(e.kernelLog().get(0)).isEqualTo("device-mapper: table: 253:0: " + words);
    }

    @Test
    void theKernelsRulesForSpecialTypes() throws Exception {
      refused("0 8 single a\n8 8 zero", false, "target type single must appear alone in table");
      refused(
          "0 8 zero\n8 8 single a",
          false,
          "single: singleton target type must appear alone in table (-EINVAL)");
      String mixed = " immutable target type cannot be mixed with other target types (-EINVAL)";
      refused("0 8 fixed a\n8 8 zero", false, "zero:" + mixed);
      refused("0 8 zero\n8 8 fixed a", false, "fixed:" + mixed);
      refused(
          "0 8 writer a",
          true,
          "writer: target type may not be included in a read-only table (-EINVAL)");
      create("c0", "0 8 fixed a\n8 8 fixed b");
      assertThat(failure(() -> load(C0, "0 8 zero")).kernelLog())
          .containsExactly("device-mapper: ioctl: can't replace immutable target type fixed");
      load(C0, "0 8 fixed c");
      mapper.resume(C0);
    }

    @Test
    void blocksMustNotBeCutByTheEndOfATarget() throws Exception {
      refused(
          "0 12 probe a\n12 8 probe b 4096",
          false,
          "table line 1 (start sect 12 len 8) not aligned to h/w logical block size 4096");
      refused(
          "0 8 probe a 4096\n8 4 probe b",
          false,
          "table line 2 (start sect 8 len 4) not aligned to h/w logical block size 4096");
      create("c0", "0 4 probe a\n4 4 probe b\n8 8 probe c 4096");
      try (BlockDevice device = mapper.open(C0, false)) {
        assertThat(device.limits().logicalBlockSize()).isEqualTo(4096);
      }
    }
  }

  @Test
  void definitionsRoundTripThroughTheConciseForm() throws Exception {
    disks.add("d", 1 << 20);
    create("c0", "0 8 linear disk:d 0\n8 8 error");
    mapper.setUuid(C0, "U-1");
    byte[] concise = mapper.definition(C0, false).toConcise();
    assertThat(new String(concise, UTF_8)).isEqualTo("c0,U-1,0,rw,0 8 linear disk:d 0,8 8 error ");
    mapper.remove(C0, false);
    DeviceDefinition back = DeviceDefinition.parseConcise(concise).get(0);
    mapper.create(back);
    assertThat(mapper.definition(C0, false).toConcise()).isEqualTo(concise);
  }

  @Test
  void ioIsCounted() throws Exception {
    create("c0", "0 8 zero");
    try (BlockDevice device = mapper.open(C0, true)) {
      device.read(0, ByteBuffer.allocate(1024));
      device.write(0, ByteBuffer.allocate(512));
      device.flush();
      device.discard(0, 4096);
      var counts = mapper.statistics(C0).snapshot();
      assertThat(counts.read().requests()).isEqualTo(1);
      assertThat(counts.read().sectors()).isEqualTo(2);
      assertThat(counts.write().sectors()).isEqualTo(1);
      assertThat(counts.flush().requests()).isEqualTo(1);
      assertThat(counts.discard().sectors()).isEqualTo(8);
      assertThat(counts.inFlight()).isZero();
    }
  }
}
