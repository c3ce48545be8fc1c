package io.jdm.mapper;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random sequences of operations on stacks of devices, compared with a model step by step, while
 * other threads do I/O on whatever is open.
 */
@Timeout(120)
class MapperModelTest {
  private static final int STEPS = 600;
  private static final int IO_THREADS = 2;
  private static final List<String> NAMES = List.of("a", "b", "c", "d");

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();
  private final Map<String, Model> models = new TreeMap<>();
  private final List<Handle> handles = new CopyOnWriteArrayList<>();
  private final List<Throwable> ioFailures = new CopyOnWriteArrayList<>();
  private volatile boolean done;
  private Random random;
  private String where;

  /** An open device; I/O holds the lock shared, and closing exclusively. */
  private record Handle(String name, BlockDevice device, ReentrantReadWriteLock lock) {}

  /** A table: so many sectors of zeros, of errors, of a disk, or of another device. */
  private record ModelTable(String lower, long sectors, boolean readOnly) {
    String text() {
      return "0 "
          + sectors
          + switch (lower) {
            case "zero", "error" -> " " + lower;
            case "disk" -> " linear disk:disk 0";
            default -> " linear mapper:" + lower + " 0";
          };
    }
  }

  /** What a device is like. */
  private static final class Model {
    ModelTable live;
    ModelTable inactive;
    boolean suspended;
    boolean tableAccepted;
    boolean deferred;
    int opens;
    long events;

    long size() {
      return live == null ? 0 : live.sectors();
    }

    /** The names below, through both tables. */
    List<String> lowers() {
      List<String> lowers = new ArrayList<>();
      for (ModelTable table : new ModelTable[] {live, inactive}) {
        if (table != null) {
          lowers.add(table.lower());
        }
      }
      return lowers;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void everyStepDoesWhatTheModelSays(long seed) throws Exception {
    random = new Random(seed);
    disks.add("disk", 64 * 512);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < IO_THREADS; i++) {
      Thread thread = new Thread(() -> doIo(new Random(seed)), "io");
      thread.start();
      threads.add(thread);
    }
    try {
      for (int step = 0; step < STEPS; step++) {
        where = "seed " + seed + ", step " + step + ": ";
        assertStatesAre(where + step());
      }
    } finally {
      done = true;
      mapper.close();
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(ioFailures).as("seed %d", seed).isEmpty();
    assertThat(disks.open()).isZero();
  }

  /** Devices come and go, fail and wait; anything but an I/O error is a failure of the test. */
  private void doIo(Random own) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1024);
    while (!done) {
      Object[] open = handles.toArray();
      Handle handle = open.length == 0 ? null : (Handle) open[own.nextInt(open.length)];
      if (handle == null || !handle.lock().readLock().tryLock()) {
        Thread.yield();
        continue;
      }
      try {
        BlockDevice device = handle.device();
        long offset = own.nextInt(40) * 512L;
        buffer.clear();
        switch (own.nextInt(4)) {
          case 0 -> device.read(offset, buffer);
          case 1 -> device.write(offset, buffer);
          case 2 -> device.flush();
          default -> device.discard(offset, 512);
        }
      } catch (IOException e) {
        Thread.yield();
      } catch (Throwable t) {
        ioFailures.add(t);
        return;
      } finally {
        handle.lock().readLock().unlock();
      }
    }
  }

  private String step() throws Exception {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    DeviceId id = DeviceId.named(name);
    Model model = models.get(name);
    int choice = random.nextInt(20);
    if (choice < 4) {
      return create(name, model);
    } else if (choice < 9) {
      return load(name, id, model);
    } else if (choice < 10) {
      check(name, model == null ? Errno.ENXIO : null, () -> mapper.clear(id));
      if (model != null) {
        drop(model.inactive);
        model.inactive = null;
        settle();
      }
      return "clear " + name;
    } else if (choice < 12 && isClearBelow(model)) {
      check(name, model == null ? Errno.ENXIO : null, () -> mapper.suspend(id));
      if (model != null) {
        model.suspended = true;
      }
      return "suspend " + name;
    } else if (choice < 15 && isClearBelow(model)) {
      return resume(name, id, model);
    } else if (choice < 16) {
      return remove(name, id, model);
    } else if (choice < 18) {
      if (model != null) {
        BlockDevice device = mapper.open(id, random.nextBoolean());
        handles.add(new Handle(name, device, new ReentrantReadWriteLock()));
        model.opens++;
      }
      return "open " + name;
    } else if (choice < 19 && !handles.isEmpty()) {
      return close(handles.get(random.nextInt(handles.size())));
    }
    return rename(name, id, model);
  }

  /**
   * Whether no device below is suspended: I/O that waits there would keep this one from being
   * suspended.
   */
  private boolean isClearBelow(Model model) {
    if (model == null) {
      return true;
    }
    for (String lower : model.lowers()) {
      Model below = models.get(lower);
      if (below != null && (below.suspended || !isClearBelow(below))) {
        return false;
      }
    }
    return true;
  }

  private String create(String name, Model model) throws Exception {
    ModelTable table = randomTable();
    Errno expected = model != null ? Errno.EBUSY : null;
    if (expected == null && table.lower().equals(name)) {
      expected = Errno.EINVAL;
    } else if (expected == null && !models.containsKey(table.lower()) && isName(table.lower())) {
      expected = Errno.ENODEV;
    }
    if (expected == null && doesNotFit(table)) {
      expected = Errno.EINVAL;
    }
    DeviceDefinition definition =
        new DeviceDefinition(name, "", -1, table.readOnly(), TableText.parse(table.text()));
    check(name, expected, () -> mapper.create(definition));
    if (expected == null) {
      Model created = new Model();
      created.live = table;
      created.tableAccepted = true;
      models.put(name, created);
      take(table);
    }
    return "create " + name + ": " + table + " " + expected;
  }

  private static boolean isName(String lower) {
    return NAMES.contains(lower);
  }

  private ModelTable randomTable() {
    String lower =
        switch (random.nextInt(6)) {
          case 0 -> "zero";
          case 1 -> "error";
          case 2 -> "disk";
          default -> NAMES.get(random.nextInt(NAMES.size()));
        };
    return new ModelTable(lower, 1 + random.nextInt(40), random.nextInt(5) == 0);
  }

  private boolean doesNotFit(ModelTable table) {
    Model below = models.get(table.lower());
    return below != null && below.size() > 0 && below.size() < table.sectors();
  }

  private String load(String name, DeviceId id, Model model) throws Exception {
    ModelTable table = randomTable();
    Errno expected = null;
    if (model == null) {
      expected = Errno.ENXIO;
    } else if (isName(table.lower()) && models.get(table.lower()) == null) {
      expected = Errno.ENODEV;
    } else if (isName(table.lower()) && liesOn(table.lower(), name, new HashSet<>())) {
      expected = Errno.EINVAL;
    } else if (!model.tableAccepted && doesNotFit(table)) {
      expected = Errno.EINVAL;
    }
    check(name, expected, () -> mapper.load(id, TableText.parse(table.text()), table.readOnly()));
    if (expected == null) {
      take(table);
      drop(model.inactive);
      model.inactive = table;
      model.tableAccepted = true;
      settle();
    }
    return "load " + name + ": " + table + " " + expected;
  }

  private boolean liesOn(String upper, String lower, Set<String> seen) {
    if (upper.equals(lower)) {
      return true;
    }
    Model model = models.get(upper);
    return model != null
        && seen.add(upper)
        && model.lowers().stream().anyMatch(next -> liesOn(next, lower, seen));
  }

  private String resume(String name, DeviceId id, Model model) {
    Errno expected = null;
    if (model == null) {
      expected = Errno.ENXIO;
    } else if (model.inactive != null && doesNotFit(model.inactive)) {
      expected = Errno.EINVAL;
    } else if (model.inactive == null && model.live == null && model.suspended) {
      expected = Errno.EINVAL;
    }
    check(name, expected, () -> mapper.resume(id));
    if (model != null && model.inactive != null) {
      if (expected == null) {
        ModelTable old = model.live;
        model.live = model.inactive;
        model.inactive = null;
        drop(old);
      } else {
        drop(model.inactive);
        model.inactive = null;
        model.suspended = true;
      }
    }
    if (expected == null) {
      model.suspended = false;
    }
    settle();
    return "resume " + name + " " + expected;
  }

  private String remove(String name, DeviceId id, Model model) {
    boolean deferred = random.nextBoolean();
    Errno expected = null;
    if (model == null) {
      expected = Errno.ENXIO;
    } else if (model.opens > 0 && !deferred) {
      expected = Errno.EBUSY;
    }
    check(name, expected, () -> mapper.remove(id, deferred));
    if (expected == null) {
      model.deferred = true;
      settle();
    }
    return "remove " + name + " " + deferred + " " + expected;
  }

  /** There and back again: two events if there is a table. */
  private String rename(String name, DeviceId id, Model model) {
    check(name, model == null ? Errno.ENXIO : null, () -> mapper.rename(id, "other"));
    if (model != null) {
      check(name, null, () -> mapper.rename(DeviceId.named("other"), name));
      model.events += model.live == null ? 0 : 2;
    }
    return "rename " + name;
  }

  /** Unless I/O is under way, which would keep the device in use. */
  private String close(Handle handle) throws IOException {
    if (handle.lock().writeLock().tryLock()) {
      handles.remove(handle);
      handle.device().close();
      models.get(handle.name()).opens--;
      settle();
    }
    return "close " + handle.name();
  }

  private void take(ModelTable table) {
    if (models.containsKey(table.lower())) {
      models.get(table.lower()).opens++;
    }
  }

  private void drop(ModelTable table) {
    if (table != null && models.containsKey(table.lower())) {
      models.get(table.lower()).opens--;
    }
  }

  /** Deferred removes happen, down the stack. */
  private void settle() {
    for (String name : NAMES) {
      Model model = models.get(name);
      if (model != null && model.deferred && model.opens == 0) {
        models.remove(name);
        drop(model.live);
        drop(model.inactive);
        settle();
        return;
      }
    }
  }

  @FunctionalInterface
  private interface Operation {
    Object run() throws Exception;
  }

  private void check(String name, Errno expected, Operation operation) {
    Errno found = null;
    try {
      operation.run();
    } catch (MapperException e) {
      found = e.errno();
    } catch (Exception e) {
      throw new AssertionError(where + "on " + name, e);
    }
    assertThat(found).as(where + "result on " + name).isEqualTo(expected);
  }

  private void assertStatesAre(String what) {
    List<DeviceInfo> list = mapper.list();
    assertThat(list)
        .as(what)
        .extracting(DeviceInfo::name)
        .containsExactlyElementsOf(models.keySet());
    for (DeviceInfo info : list) {
      Model model = models.get(info.name());
      String which = what + ", then " + info.name();
      assertThat(info.live()).as("%s: live", which).isEqualTo(model.live != null);
      assertThat(info.inactive()).as("%s: inactive", which).isEqualTo(model.inactive != null);
      assertThat(info.suspended()).as("%s: suspended", which).isEqualTo(model.suspended);
      assertThat(info.openCount()).as("%s: open count", which).isEqualTo(model.opens);
      assertThat(info.eventNumber()).as("%s: events", which).isEqualTo(model.events);
      assertThat(info.sectors()).as("%s: sectors", which).isEqualTo(model.size());
      assertThat(info.deferredRemove()).as("%s: deferred", which).isEqualTo(model.deferred);
      assertThat(info.readOnly())
          .as("%s: read-only", which)
          .isEqualTo(model.live != null && model.live.readOnly());
    }
  }
}
