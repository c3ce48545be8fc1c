package io.jdm.testing;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.Limits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * A disk with a volatile write cache: keeps what was written but not yet flushed apart from what is
 * on stable storage, and can lose it. For tests of flush, FUA and crash safety; small devices only.
 *
 * <p>A power cut leaves what was stable, and of each unflushed write all, nothing, or some of its
 * sectors, in any order, as real disks do. Sectors of 512 bytes are never torn.
 */
public final class VolatileCacheDevice extends BlockDevice {
  private static final int SECTOR = 512;
  private static final Set<Capability> CAPABILITIES =
      Collections.unmodifiableSet(EnumSet.allOf(Capability.class));

  private final Limits limits;
  private final byte[] stable;
  private final byte[] current;
  private final List<Write> unflushed = new ArrayList<>();

  private static final class Write {
    final int offset;
    final byte[] data;

    Write(int offset, byte[] data) {
      this.offset = offset;
      this.data = data;
    }
  }

  private VolatileCacheDevice(byte[] content, int logicalBlockSize) {
    this.limits = Limits.BYTES.withLogicalBlockSize(logicalBlockSize);
    this.stable = content;
    this.current = content.clone();
  }

  /**
   * A device full of zeros.
   *
   * @param size bytes
   * @param logicalBlockSize bytes, a power of two
   */
  public static VolatileCacheDevice ofSize(int size, int logicalBlockSize) {
    return new VolatileCacheDevice(new byte[size], logicalBlockSize);
  }

  /** A device with this content on stable storage. */
  public static VolatileCacheDevice of(byte[] content, int logicalBlockSize) {
    return new VolatileCacheDevice(content.clone(), logicalBlockSize);
  }

  /** A copy of what is on stable storage: all that a power cut is sure to leave. */
  public synchronized byte[] stable() {
    return stable.clone();
  }

  /** A copy of what reads give now. */
  public synchronized byte[] current() {
    return current.clone();
  }

  /** How many writes (discards and zeroes too) a power cut could lose. */
  public synchronized int unflushedWrites() {
    return unflushed.size();
  }

  /**
   * What a power cut now could leave on the disk. This device goes on unchanged, so that many cuts
   * can be tried at one point.
   *
   * @param random chooses which unflushed writes survive, how much of each, and in which order
   */
  public synchronized byte[] afterPowerCut(RandomGenerator random) {
    byte[] disk = stable.clone();
    List<Write> writes = new ArrayList<>(unflushed);
    while (!writes.isEmpty()) {
      Write write = writes.remove(random.nextInt(writes.size()));
      switch (random.nextInt(4)) {
        case 0 -> apply(disk, write, 0, write.data.length);
        case 1 -> applySectors(disk, write, 1 + random.nextInt(sectors(write)), random, false);
        case 2 -> applySectors(disk, write, sectors(write), random, true);
        default -> {}
      }
    }
    return disk;
  }

  private static void applySectors(
      byte[] disk, Write write, int sectors, RandomGenerator random, boolean scattered) {
    for (int i = 0; i < sectors; i++) {
      if (!scattered || random.nextBoolean()) {
        int from = Math.max(0, i * SECTOR - write.offset % SECTOR);
        int to = Math.min(write.data.length, (i + 1) * SECTOR - write.offset % SECTOR);
        apply(disk, write, from, to);
      }
    }
  }

  private static int sectors(Write write) {
    return (write.offset % SECTOR + write.data.length + SECTOR - 1) / SECTOR;
  }

  private static void apply(byte[] disk, Write write, int from, int to) {
    System.arraycopy(write.data, from, disk, write.offset + from, to - from);
  }

  @Override
  public long size() {
    return stable.length;
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public Set<Capability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public String describe() {
    return "disk of " + stable.length + " bytes with a volatile cache";
  }

  @Override
  protected synchronized void doRead(long offset, ByteBuffer dst) {
    dst.put(current, (int) offset, dst.remaining());
  }

  @Override
  protected synchronized void doWrite(long offset, ByteBuffer src) {
    byte[] data = new byte[src.remaining()];
    src.get(data);
    write(new Write((int) offset, data));
  }

  /** Only this data becomes stable, not what was written before it, unless it overlaps. */
  @Override
  protected synchronized void doWriteFua(long offset, ByteBuffer src) {
    doWrite(offset, src);
    Write write = unflushed.remove(unflushed.size() - 1);
    apply(stable, write, 0, write.data.length);
    unflushed.forEach(older -> overlay(older, write));
  }

  /** An older write must not come back over a newer one that is stable. */
  private static void overlay(Write older, Write newer) {
    int from = Math.max(older.offset, newer.offset);
    int to = Math.min(older.offset + older.data.length, newer.offset + newer.data.length);
    if (from < to) {
      System.arraycopy(newer.data, from - newer.offset, older.data, from - older.offset, to - from);
    }
  }

  @Override
  protected synchronized void doFlush() {
    System.arraycopy(current, 0, stable, 0, stable.length);
    unflushed.clear();
  }

  @Override
  protected void doDiscard(long offset, long length) {
    doWriteZeroes(offset, length);
  }

  @Override
  protected synchronized void doWriteZeroes(long offset, long length) {
    write(new Write((int) offset, new byte[(int) length]));
  }

  private void write(Write write) {
    apply(current, write, 0, write.data.length);
    unflushed.add(write);
  }

  @Override
  protected void doClose() {}
}
