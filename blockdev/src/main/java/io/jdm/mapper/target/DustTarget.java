package io.jdm.mapper.target;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.Sectors;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import io.jdm.mapper.TargetType;
import io.jdm.mapper.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A device with bad blocks that messages add and writes repair (source: spec/dm-core.md section
 * 6.6). Blocks are numbered on the device below.
 */
final class DustTarget extends Target {
  private static final long MAX_BLOCK_SIZE = 1L << 30;

  private final Area area;
  private final int blockSize;

  /** Whether bad blocks fail; else they are only listed. */
  private volatile boolean enabled;

  private volatile boolean quiet;

  /** How many writes of a block still fail; guarded by itself. */
  private final Map<Long, Integer> badBlocks = new TreeMap<>();

  private DustTarget(Area area, int blockSize) {
    this.area = area;
    this.blockSize = blockSize;
  }

  /** The type {@code dust}. */
  public static final class Type implements TargetType {
    @Override
    public String name() {
      return "dust";
    }

    @Override
    public Version version() {
      return new Version(1, 0, 0);
    }

    @Override
    public String usage() {
      return "<dev> <offset> <block size>";
    }

    @Override
    public Target create(TargetContext context, Arguments arguments) throws TargetException {
      if (arguments.count() != 3) {
        throw arguments.error(
            "Invalid argument count", "found " + arguments.count() + ", expected " + usage());
      }
      String spec = arguments.next("dev", "Invalid argument count");
      String offsetWord = arguments.next("offset", "Invalid device offset sector");
      long blockSize =
          arguments.nextNumber("block size", "Invalid block size parameter", 0, (1L << 32) - 1);
      checkBlockSize(arguments, blockSize, Sectors.toBytes(context.length()));
      long offset = Arguments.parseUnsigned(offsetWord);
      if (offset < 0) {
        throw arguments.error(
            "Invalid device offset sector", "offset (argument 2) is " + Arguments.show(offsetWord));
      }
      Area area = new Area(context.device(spec, offset), offset);
      return new DustTarget(area, (int) blockSize);
    }

    private static void checkBlockSize(Arguments arguments, long blockSize, long length)
        throws TargetException {
      String found = "block size is " + blockSize + " bytes";
      if (blockSize < Sectors.SIZE) {
        throw arguments.error("Block size must be at least 512", found);
      }
      if (Long.bitCount(blockSize) != 1) {
        throw arguments.error("Block size must be a power of 2", found);
      }
      if (blockSize > Math.min(length, MAX_BLOCK_SIZE)) {
        throw arguments.error(
            "Block size is too large",
            found + ", at most " + Math.min(length, MAX_BLOCK_SIZE) + " are possible here");
      }
    }
  }

  /** The number, on the device below, of the block in which a request begins. */
  private long block(long offset) {
    return (Sectors.toBytes(area.start()) + offset) / blockSize;
  }

  private void checkRead(long block) throws DeviceException {
    synchronized (badBlocks) {
      if (badBlocks.containsKey(block)) {
        throw bad("read", block);
      }
    }
  }

  /** A write fails as often as the block was told to; then it heals the block. */
  private void checkWrite(String operation, long block) throws DeviceException {
    synchronized (badBlocks) {
      Integer fails = badBlocks.get(block);
      if (fails == null) {
        return;
      }
      if (fails > 0) {
        badBlocks.put(block, fails - 1);
        throw bad(operation, block);
      }
      badBlocks.remove(block);
    }
  }

  private DeviceException bad(String operation, long block) {
    return new DeviceException(
        Errno.EIO,
        operation + " of bad block " + block + ": " + area.backing().device().describe());
  }

  @Override
  public void read(long offset, ByteBuffer dst) throws IOException {
    if (enabled) {
      checkRead(block(offset));
    }
    area.read(offset, dst);
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    if (enabled) {
      checkWrite("write", block(offset));
    }
    area.write(offset, src, fua);
  }

  @Override
  public void flush() throws IOException {
    area.flush();
  }

  @Override
  public boolean supportsDiscard() {
    return area.supportsDiscard();
  }

  /** Discards are writes; block by block, as the kernel splits them. */
  @Override
  public void discard(long offset, long length) throws IOException {
    if (!enabled) {
      area.discard(offset, length);
      return;
    }
    long end = offset + length;
    for (long at = offset; at < end; ) {
      long piece = Math.min(end - at, blockSize - at % blockSize);
      checkWrite("discard", block(at));
      area.discard(at, piece);
      at += piece;
    }
  }

  @Override
  public Limits limits() {
    return area.limits();
  }

  @Override
  public long maxIoLength() {
    return blockSize;
  }

  @Override
  public String status() {
    return area.backing().argument()
        + (enabled ? " fail_read_on_bad_block" : " bypass")
        + (quiet ? " quiet" : " verbose");
  }

  @Override
  public String table(boolean showKeys) {
    return area + " " + blockSize;
  }

  @Override
  public String message(Arguments words) throws TargetException {
    int count = words.count();
    String word = words.next("message", "invalid message");
    String command = word.toLowerCase(Locale.ROOT);
    if (count > 3) {
      throw words.error("invalid number of arguments '" + count + "'", "");
    }
    if (count == 1) {
      return simpleMessage(words, word, command);
    }
    long block = words.nextNumber("block", "");
    int fails = count == 3 ? failCount(words) : 0;
    long blocks = Sectors.fromBytes(area.backing().device().size()) / Sectors.fromBytes(blockSize);
    if (block > blocks) {
      throw words.error("selected block value out of range", block + " is above " + blocks);
    }
    if (command.equals("addbadblock")) {
      return addBlock(words, block, fails);
    }
    if (command.equals("removebadblock") && count == 2) {
      return removeBlock(words, block);
    }
    if (command.equals("queryblock") && count == 2) {
      return "dust_query_block: block "
          + block
          + (isListed(block) ? " found in badblocklist" : " not found in badblocklist");
    }
    throw unrecognised(words, word);
  }

  private static int failCount(Arguments words) throws TargetException {
    long fails = words.nextNumber("fail count", "", 0, (1L << 32) - 1);
    if (fails > 255) {
      throw words.error("selected write fail count out of range", fails + " is above 255");
    }
    return (int) fails;
  }

  private String simpleMessage(Arguments words, String word, String command)
      throws TargetException {
    switch (command) {
      case "addbadblock", "removebadblock", "queryblock" ->
          throw words.error(word + " requires an additional argument", "");
      case "enable" -> enabled = true;
      case "disable" -> enabled = false;
      case "quiet" -> quiet = !quiet;
      case "countbadblocks" -> {
        return "countbadblocks: " + count() + " badblock(s) found";
      }
      case "clearbadblocks" -> {
        return clear();
      }
      case "listbadblocks" -> {
        return list();
      }
      default -> throw unrecognised(words, word);
    }
    return "";
  }

  private static TargetException unrecognised(Arguments words, String word) {
    return words.error("unrecognized message '" + word + "' received", "");
  }

  private String addBlock(Arguments words, long block, int fails) throws TargetException {
    synchronized (badBlocks) {
      if (badBlocks.putIfAbsent(block, fails) != null) {
        throw words.error(
            quiet ? "" : "dust_add_block: block " + block + " already in badblocklist", "");
      }
    }
    return "";
  }

  private String removeBlock(Arguments words, long block) throws TargetException {
    synchronized (badBlocks) {
      if (badBlocks.remove(block) == null) {
        throw words.error(
            quiet ? "" : "dust_remove_block: block " + block + " not found in badblocklist", "");
      }
    }
    return "";
  }

  private boolean isListed(long block) {
    synchronized (badBlocks) {
      return badBlocks.containsKey(block);
    }
  }

  private int count() {
    synchronized (badBlocks) {
      return badBlocks.size();
    }
  }

  private String clear() {
    synchronized (badBlocks) {
      boolean any = !badBlocks.isEmpty();
      badBlocks.clear();
      return "dust_clear_badblocks: " + (any ? "badblocks cleared" : "no badblocks found");
    }
  }

  private String list() {
    synchronized (badBlocks) {
      return badBlocks.isEmpty()
          ? "No blocks in badblocklist"
          : badBlocks.keySet().stream().map(String::valueOf).collect(Collectors.joining("\n"));
    }
  }
}
