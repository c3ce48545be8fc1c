package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Disks of a test, {@code disk:NAME} in its tables: memory that outlives those who open it, perhaps
 * under a layer that the test controls.
 */
public final class Disks implements DeviceScheme {
  private final Map<String, BlockDevice> disks = new ConcurrentHashMap<>();
  private final AtomicInteger open = new AtomicInteger();

  /** Adds a disk in memory. */
  public BlockDevice add(String name, long size) {
    return add(name, MemoryDevice.ofSize(size));
  }

  /** Adds a disk. */
  public <T extends BlockDevice> T add(String name, T disk) {
    disks.put(name, disk);
    return disk;
  }

  /** Puts a layer over a disk, for those who open it from now on. */
  public <T extends BlockDevice> T wrap(String name, Function<? super BlockDevice, T> layer) {
    return add(name, layer.apply(disks.get(name)));
  }

  /** How many are open now. */
  public int open() {
    return open.get();
  }

  @Override
  public String name() {
    return "disk";
  }

  @Override
  public String usage() {
    return "disk:NAME";
  }

  @Override
  public String canonicalName(String spec) {
    return spec.startsWith("disk:") ? spec : "disk:" + spec;
  }

  @Override
  public BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs)
      throws DeviceException {
    BlockDevice disk = disks.get(canonicalName.substring("disk:".length()));
    if (disk == null) {
      throw new DeviceException(Errno.ENOENT, "no disk " + canonicalName);
    }
    open.incrementAndGet();
    return new Opened(disk, writable);
  }

  private final class Opened extends LayerDevice {
    private final boolean writable;

    Opened(BlockDevice disk, boolean writable) {
      super(disk);
      this.writable = writable;
    }

    @Override
    public Set<Capability> capabilities() {
      return writable ? super.capabilities() : Set.of();
    }

    @Override
    public String describe() {
      return below.describe();
    }

    @Override
    protected void doClose() {
      open.decrementAndGet();
    }
  }
}
