package io.jdm.mapper;

import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.Sectors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * A table: targets that cover the mapped device from its first sector on, and the devices they use.
 *
 * <p>I/O methods run in parallel, need no lock, and allocate nothing for requests inside one
 * target. Everything else is serialised by the table itself, so that a target sees one call at a
 * time. The mapped device keeps I/O away before {@link #prepare} and after {@link #close()}.
 */
final class Table implements AutoCloseable {
  private static final Set<Capability> READ_ONLY = Set.of();

  private static final int ZERO_PIECE = 64 * 1024;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(ZERO_PIECE).asReadOnlyBuffer();

  private final MappedDevice owner;
  private final boolean readOnly;
  private final Entry[] entries;

  /** First byte of each entry, for the search. */
  private final long[] starts;

  private final long size;
  private final List<BackingDevice> devices;

  private Limits limits = Limits.SECTORS;
  private Set<Capability> capabilities = READ_ONLY;
  private boolean closed;

  /**
   * One target and where it lies.
   *
   * @param start first sector
   * @param length sectors
   * @param maxIoLength bytes at whose multiples reads and writes are split, or 0
   */
  record Entry(
      long start, long length, TargetType type, Target target, long maxIoLength, List<Area> areas) {
    /** Bytes that a read or write at this offset in the target may have at most. */
    private long piece(long offset) {
      long left = Sectors.toBytes(length) - offset;
      return maxIoLength == 0 ? left : Math.min(left, maxIoLength - offset % maxIoLength);
    }
  }

  /**
   * An area of a device that a target uses.
   *
   * @param start first sector
   * @param length sectors
   */
  record Area(BackingDevice backing, long start, long length) {}

  /**
   * Takes over targets and devices.
   *
   * @param entries at least one, without gaps from sector 0 on
   * @param devices in the order in which they were opened
   */
  Table(MappedDevice owner, boolean readOnly, List<Entry> entries, List<BackingDevice> devices) {
    this.owner = owner;
    this.readOnly = readOnly;
    this.entries = entries.toArray(Entry[]::new);
    this.starts = entries.stream().mapToLong(e -> Sectors.toBytes(e.start())).toArray();
    this.devices = List.copyOf(devices);
    Entry last = this.entries[this.entries.length - 1];
    this.size = Sectors.toBytes(last.start() + last.length());
  }

  boolean readOnly() {
    return readOnly;
  }

  /** In bytes. */
  long size() {
    return size;
  }

  int targetCount() {
    return entries.length;
  }

  /** Those of the last {@link #prepare}. */
  Limits limits() {
    return limits;
  }

  /** Those of the last {@link #prepare}. */
  Set<Capability> capabilities() {
    return capabilities;
  }

  /** The type that cannot be replaced by another, if there is one. */
  Optional<TargetType> immutableType() {
    return entries[0].type().features().contains(TargetType.Feature.IMMUTABLE)
        ? Optional.of(entries[0].type())
        : Optional.empty();
  }

  /** The devices in use, in the kernel's order: the one opened last comes first. */
  List<Dependency> dependencies() {
    List<Dependency> dependencies = new ArrayList<>();
    for (BackingDevice backing : devices) {
      dependencies.add(new Dependency(backing.name(), DeviceMapper.parseNumber(backing.name())));
    }
    Collections.reverse(dependencies);
    return dependencies;
  }

  /**
   * Computes limits and capabilities from what the devices are like now, and checks that the areas
   * in use fit them: what the kernel does when a device gets its first table, and at every swap.
   *
   * @return what is wrong, in the kernel's words; empty if nothing is
   */
  synchronized String prepare() {
    Limits stacked = Limits.SECTORS;
    for (Entry entry : entries) {
      Limits own = Limits.SECTORS.stack(entry.target().limits());
      for (Area area : entry.areas()) {
        own = own.stack(area.backing().device().limits());
      }
      for (Area area : entry.areas()) {
        String problem = problemOf(area, own.logicalBlockSize());
        if (!problem.isEmpty()) {
          return problem;
        }
      }
      stacked = stacked.stack(own);
    }
    limits = stacked;
    capabilities = readOnly ? READ_ONLY : writableCapabilities();
    return misalignedLine(stacked.logicalBlockSize());
  }

  private static String problemOf(Area area, int blockSize) {
    long deviceSectors = Sectors.fromBytes(area.backing().device().size());
    long start = area.start();
    long length = area.length();
    if (deviceSectors == 0) {
      return "";
    }
    String name = area.backing().kernelName();
    if (start >= deviceSectors || length > deviceSectors - start) {
      return name
          + " too small for target: start="
          + start
          + ", len="
          + length
          + ", dev_size="
          + deviceSectors;
    }
    long mask = Sectors.fromBytes(blockSize) - 1;
    String aligned = " not aligned to h/w logical block size " + blockSize + " of " + name;
    if ((start & mask) != 0) {
      return "start=" + start + aligned;
    }
    return (length & mask) != 0 ? "len=" + length + aligned : "";
  }

  /**
   * A block of the mapped device that is cut by the end of a target must go on in one that takes
   * the rest of it; after the last target there is none.
   */
  private String misalignedLine(int blockSize) {
    long blockSectors = Sectors.fromBytes(blockSize);
    long rest = 0;
    int line = 0;
    while (line < entries.length) {
      Entry entry = entries[line];
      long own =
          Sectors.fromBytes(Limits.SECTORS.stack(entry.target().limits()).logicalBlockSize());
      if (rest < entry.length() && rest % own != 0) {
        break;
      }
      long cut = (entry.start() + entry.length()) % blockSectors;
      rest = cut == 0 ? 0 : blockSectors - cut;
      line++;
    }
    if (rest == 0) {
      return "";
    }
    Entry entry = entries[Math.min(line, entries.length - 1)];
    return "table line "
        + line
        + " (start sect "
        + entry.start()
        + " len "
        + entry.length()
        + ") not aligned to h/w logical block size "
        + blockSize;
  }

  private Set<Capability> writableCapabilities() {
    EnumSet<Capability> can = EnumSet.of(Capability.WRITE, Capability.FAST_ZERO);
    for (Entry entry : entries) {
      if (entry.target().supportsDiscard()) {
        can.add(Capability.DISCARD);
      }
      if (!entry.target().supportsWriteZeroes()) {
        can.remove(Capability.FAST_ZERO);
      }
    }
    return Collections.unmodifiableSet(can);
  }

  void read(long offset, ByteBuffer dst) throws IOException {
    check("read", offset, dst.remaining());
    Entry entry = entries[find(offset)];
    long inside = offset - Sectors.toBytes(entry.start());
    if (dst.remaining() <= entry.piece(inside)) {
      entry.target().read(inside, dst);
    } else {
      readPieces(offset, dst);
    }
  }

  private void readPieces(long offset, ByteBuffer dst) throws IOException {
    int first = dst.position();
    int limit = dst.limit();
    try {
      for (int at = first; at < limit; at = dst.limit()) {
        long position = offset + (at - first);
        Entry entry = entries[find(position)];
        long inside = position - Sectors.toBytes(entry.start());
        dst.limit(at + (int) Math.min(limit - at, entry.piece(inside))).position(at);
        entry.target().read(inside, dst);
      }
    } finally {
      dst.limit(limit);
    }
  }

  void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    checkWrite("write", offset, src.remaining());
    Entry entry = entries[find(offset)];
    long inside = offset - Sectors.toBytes(entry.start());
    if (src.remaining() <= entry.piece(inside)) {
      entry.target().write(inside, src, fua);
    } else {
      writePieces(offset, src, fua);
    }
  }

  private void writePieces(long offset, ByteBuffer src, boolean fua) throws IOException {
    int first = src.position();
    int limit = src.limit();
    try {
      for (int at = first; at < limit; at = src.limit()) {
        long position = offset + (at - first);
        Entry entry = entries[find(position)];
        long inside = position - Sectors.toBytes(entry.start());
        src.limit(at + (int) Math.min(limit - at, entry.piece(inside))).position(at);
        entry.target().write(inside, src, fua);
      }
    } finally {
      src.limit(limit);
    }
  }

  /** Flushes every target, also after one has failed. */
  void flush() throws IOException {
    IOException failure = null;
    for (Entry entry : entries) {
      try {
        entry.target().flush();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  void discard(long offset, long length) throws IOException {
    checkWrite("discard", offset, length);
    forEachTarget(
        offset,
        length,
        (target, at, inside, part) -> {
          if (!target.supportsDiscard()) {
            throw failure(Errno.EOPNOTSUPP, "discard is not supported by this part of the table");
          }
          target.discard(inside, part);
        });
  }

  void writeZeroes(long offset, long length) throws IOException {
    checkWrite("write-zeroes", offset, length);
    forEachTarget(
        offset,
        length,
        (target, at, inside, part) -> {
          if (target.supportsWriteZeroes()) {
            target.writeZeroes(inside, part);
          } else {
            writeZerosAsData(at, part);
          }
        });
  }

  Extent extent(long offset, long length) throws IOException {
    check("extent query", offset, length);
    Entry entry = entries[find(offset)];
    long inside = offset - Sectors.toBytes(entry.start());
    long part = Math.min(length, Sectors.toBytes(entry.length()) - inside);
    return entry.target().extent(inside, part).atMost(part);
  }

  private void writeZerosAsData(long offset, long length) throws IOException {
    ByteBuffer zeros = ZEROS.duplicate();
    for (long done = 0; done < length; done += ZERO_PIECE) {
      zeros.clear().limit((int) Math.min(ZERO_PIECE, length - done));
      write(offset + done, zeros, false);
    }
  }

  @FunctionalInterface
  private interface RangeAction {
    void run(Target target, long at, long inside, long length) throws IOException;
  }

  private void forEachTarget(long offset, long length, RangeAction action) throws IOException {
    long end = offset + length;
    for (long at = offset; at < end; ) {
      Entry entry = entries[find(at)];
      long inside = at - Sectors.toBytes(entry.start());
      long part = Math.min(end - at, Sectors.toBytes(entry.length()) - inside);
      action.run(entry.target(), at, inside, part);
      at += part;
    }
  }

  /**
   * What the targets say of their state.
   *
   * @return null if the table was closed meanwhile
   */
  synchronized List<TargetStatus> status() {
    return describeTargets(Target::status);
  }

  /**
   * The arguments that make the targets again.
   *
   * @return null if the table was closed meanwhile
   */
  synchronized List<TargetStatus> table(boolean showKeys) {
    return describeTargets(target -> target.table(showKeys));
  }

  private List<TargetStatus> describeTargets(Function<Target, String> text) {
    if (closed) {
      return null;
    }
    List<TargetStatus> lines = new ArrayList<>();
    for (Entry entry : entries) {
      lines.add(
          new TargetStatus(
              entry.start(), entry.length(), entry.type().name(), text.apply(entry.target())));
    }
    return lines;
  }

  /**
   * Sends a message to a target.
   *
   * @param sector inside the table
   * @return the reply, or null if the table was closed meanwhile
   */
  synchronized String message(long sector, Arguments words) throws TargetException {
    return closed ? null : entries[find(Sectors.toBytes(sector))].target().message(words);
  }

  /** The type of the target at a sector inside the table. */
  TargetType typeAt(long sector) {
    return entries[find(Sectors.toBytes(sector))].type();
  }

  synchronized void presuspend() {
    for (Entry entry : entries) {
      entry.target().presuspend();
    }
  }

  synchronized void presuspendUndo() {
    for (Entry entry : entries) {
      entry.target().presuspendUndo();
    }
  }

  synchronized void postsuspend() {
    for (Entry entry : entries) {
      entry.target().postsuspend();
    }
  }

  /** A target that refuses to go on. */
  record Refusal(TargetType type, TargetException reason) {}

  /** Asks all targets in the order of the table whether they can go on; the first no ends it. */
  synchronized Optional<Refusal> preresume() {
    for (Entry entry : entries) {
      try {
        entry.target().preresume();
      } catch (TargetException e) {
        return Optional.of(new Refusal(entry.type(), e));
      }
    }
    return Optional.empty();
  }

  synchronized void resume() {
    for (Entry entry : entries) {
      entry.target().resume();
    }
  }

  /** Closes the targets, then their devices. */
  @Override
  public synchronized void close() {
    closed = true;
    closeAll(Arrays.stream(entries).map(Entry::target).toList(), devices);
  }

  /** Closes targets, then devices. */
  static void closeAll(List<Target> targets, List<BackingDevice> devices) {
    for (Target target : targets) {
      target.close();
    }
    for (BackingDevice backing : devices) {
      try {
        backing.device().close();
      } catch (IOException e) {
        // As in the kernel a table always goes; data that had to be safe was flushed before.
      }
    }
  }

  /** The entry that holds this byte, which lies inside the table. */
  private int find(long offset) {
    int low = 0;
    int high = starts.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The caller checked against the table it saw; this may be its successor. */
  private void check(String operation, long offset, long length) throws DeviceException {
    if (offset > size - length || ((offset | length) & (limits.logicalBlockSize() - 1)) != 0) {
      throw failure(
          Errno.EIO,
          operation
              + " of "
              + length
              + " bytes at "
              + offset
              + " does not fit the table that was swapped in, of "
              + size
              + " bytes in blocks of "
              + limits.logicalBlockSize());
    }
  }

  private void checkWrite(String operation, long offset, long length) throws DeviceException {
    check(operation, offset, length);
    if (readOnly) {
      throw failure(Errno.EPERM, operation + " on a read-only table");
    }
  }

  private DeviceException failure(Errno errno, String text) {
    return new DeviceException(errno, text + ": " + owner.describe());
  }
}
