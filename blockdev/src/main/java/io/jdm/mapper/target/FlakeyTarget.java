package io.jdm.mapper.target;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Limits;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import io.jdm.mapper.TargetType;
import io.jdm.mapper.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Linear for some seconds, unreliable for some seconds, and so on from the moment the table was
 * loaded (source: spec/dm-core.md section 6.5). What happens while it is unreliable is chosen by
 * its features.
 *
 * <p>A request is the kernel's bio. Of the bio flags a feature can ask for, requests here have the
 * operation (1 for writes) and forced unit access (1 &lt;&lt; 17).
 */
final class FlakeyTarget extends Target {
  private static final int WRITE_FLAG = 1;
  private static final int FUA_FLAG = 1 << 17;
  private static final long PROBABILITY_BASE = 1_000_000_000;
  private static final long MAX_U32 = (1L << 32) - 1;

  private final Area area;
  private final long upSeconds;
  private final long downSeconds;
  private final Features features;
  private final LongSupplier nanoTime;
  private final LongUnaryOperator random;
  private final long loaded;

  private FlakeyTarget(Area area, long upSeconds, long downSeconds, Features features, Type type) {
    this.area = area;
    this.upSeconds = upSeconds;
    this.downSeconds = downSeconds;
    this.features = features;
    this.nanoTime = type.nanoTime;
    this.random = type.random;
    this.loaded = nanoTime.getAsLong();
  }

  /** The type {@code flakey}. */
  public static final class Type implements TargetType {
    private final LongSupplier nanoTime;
    private final LongUnaryOperator random;

    /** On the system's clock. */
    public Type() {
      this(System::nanoTime, bound -> ThreadLocalRandom.current().nextLong(bound));
    }

    /**
     * On a clock and dice of one's own.
     *
     * @param random gives a number from 0 up to and not including its argument; thread-safe
     */
    Type(LongSupplier nanoTime, LongUnaryOperator random) {
      this.nanoTime = nanoTime;
      this.random = random;
    }

    @Override
    public String name() {
      return "flakey";
    }

    @Override
    public Version version() {
      return new Version(1, 5, 0);
    }

    @Override
    public String usage() {
      return "<dev> <offset> <up seconds> <down seconds> [<number of feature words> <feature>...]";
    }

    @Override
    public Target create(TargetContext context, Arguments arguments) throws TargetException {
      if (arguments.count() < 4) {
        throw arguments.error(
            "Invalid argument count", "found " + arguments.count() + ", expected " + usage());
      }
      String spec = arguments.next("dev", "Invalid argument count");
      long offset = arguments.nextNumber("offset", "Invalid device sector");
      long up = arguments.nextNumber("up seconds", "Invalid up interval", 0, MAX_U32);
      long down = arguments.nextNumber("down seconds", "Invalid down interval", 0, MAX_U32);
      if (up + down == 0) {
        throw arguments.error("Total (up + down) interval is zero", "");
      }
      if (up + down > MAX_U32) {
        throw arguments.error("Interval overflow", "up + down is " + (up + down));
      }
      Features features = new Features(arguments);
      Area area = new Area(context.device(spec, offset), offset);
      return new FlakeyTarget(area, up, down, features, this);
    }
  }

  /** What goes wrong while the target is down. */
  private static final class Features {
    private boolean errorReads;
    private boolean dropWrites;
    private boolean errorWrites;

    /** Counted from 1; 0 for none. */
    private long corruptByte;

    private boolean corruptWrites;
    private int corruptValue;
    private long corruptFlags;
    private long randomReadCorrupt;
    private long randomWriteCorrupt;

    /** Parses the rest of the arguments. */
    Features(Arguments arguments) throws TargetException {
      long words = 0;
      if (arguments.remaining() > 0) {
        long most = Math.min(11, arguments.remaining() - 1);
        words =
            arguments.nextNumber(
                "number of feature words", "Invalid number of feature args", 0, most);
      }
      int end = arguments.remaining() - (int) words;
      while (arguments.remaining() > end) {
        parse(arguments, arguments.next("feature", "Insufficient feature arguments"), end);
      }
      checkConflicts(arguments);
      if (toString().equals("0")) {
        errorReads = true;
        errorWrites = true;
      }
    }

    private void parse(Arguments arguments, String word, int end) throws TargetException {
      switch (word.toLowerCase(Locale.ROOT)) {
        case "error_reads" -> errorReads = once(arguments, "error_reads", errorReads);
        case "drop_writes" -> {
          dropWrites = once(arguments, "drop_writes", dropWrites);
          checkWrites(arguments, "drop_writes", "error_writes");
        }
        case "error_writes" -> {
          errorWrites = once(arguments, "error_writes", errorWrites);
          checkWrites(arguments, "error_writes", "drop_writes");
        }
        case "corrupt_bio_byte" -> {
          once(arguments, "corrupt_bio_byte", corruptByte > 0);
          parseCorruptByte(arguments, end);
        }
        case "random_read_corrupt" ->
            randomReadCorrupt =
                probability(arguments, "random_read_corrupt", randomReadCorrupt, end);
        case "random_write_corrupt" ->
            randomWriteCorrupt =
                probability(arguments, "random_write_corrupt", randomWriteCorrupt, end);
        default ->
            throw arguments.error(
                "Unrecognised flakey feature requested", "found " + Arguments.show(word));
      }
    }

    private static boolean once(Arguments arguments, String feature, boolean before)
        throws TargetException {
      if (before) {
        throw arguments.error("Feature " + feature + " duplicated", "");
      }
      return true;
    }

    private void checkWrites(Arguments arguments, String feature, String other)
        throws TargetException {
      if (dropWrites && errorWrites) {
        throw arguments.error(
            "Feature " + feature + " conflicts with feature " + other, "only one can be given");
      }
    }

    private void parseCorruptByte(Arguments arguments, int end) throws TargetException {
      if (arguments.remaining() == end) {
        throw arguments.error(
            "Feature corrupt_bio_byte requires parameters",
            "expected <Nth byte> <r|w> <value> <bio flags>");
      }
      corruptByte = arguments.nextNumber("Nth byte", "Invalid corrupt bio byte", 1, MAX_U32);
      String directionReason = "Invalid corrupt bio direction (r or w)";
      String direction = arguments.next("direction", directionReason).toLowerCase(Locale.ROOT);
      if (!direction.equals("r") && !direction.equals("w")) {
        throw arguments.error(directionReason, "found " + Arguments.show(direction));
      }
      corruptWrites = direction.equals("w");
      String valueReason = "Invalid corrupt value to write into bio byte (0-255)";
      corruptValue = (int) arguments.nextNumber("value", valueReason, 0, 255);
      corruptFlags =
          arguments.nextNumber("bio flags", "Invalid corrupt bio flags mask", 0, MAX_U32);
    }

    private static long probability(Arguments arguments, String feature, long before, int end)
        throws TargetException {
      once(arguments, feature, before > 0);
      if (arguments.remaining() == end) {
        throw arguments.error("Feature " + feature + " requires a parameter", "");
      }
      return arguments.nextNumber(feature, "Invalid random corrupt argument", 0, PROBABILITY_BASE);
    }

    private void checkConflicts(Arguments arguments) throws TargetException {
      if (corruptByte > 0 && corruptWrites && (dropWrites || errorWrites)) {
        throw arguments.error(
            (dropWrites ? "drop_writes" : "error_writes")
                + " is incompatible with corrupt_bio_byte with the WRITE flag set",
            "");
      }
    }

    /** The words with their number before them. */
    @Override
    public String toString() {
      StringBuilder words = new StringBuilder();
      words.append(errorReads ? " error_reads" : "");
      words.append(dropWrites ? " drop_writes" : errorWrites ? " error_writes" : "");
      if (corruptByte > 0) {
        words.append(" corrupt_bio_byte ").append(corruptByte);
        words.append(corruptWrites ? " w " : " r ").append(corruptValue);
        words.append(' ').append(corruptFlags);
      }
      if (randomReadCorrupt > 0) {
        words.append(" random_read_corrupt ").append(randomReadCorrupt);
      }
      if (randomWriteCorrupt > 0) {
        words.append(" random_write_corrupt ").append(randomWriteCorrupt);
      }
      return words.chars().filter(c -> c == ' ').count() + words.toString();
    }
  }

  private boolean isDown() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - loaded);
    return seconds % (upSeconds + downSeconds) >= upSeconds;
  }

  private DeviceException error(String operation) {
    return new DeviceException(
        Errno.EIO,
        operation + " while the flakey target is down: " + area.backing().device().describe());
  }

  @Override
  public void read(long offset, ByteBuffer dst) throws IOException {
    boolean down = isDown();
    if (down && features.errorReads) {
      throw error("read");
    }
    int start = dst.position();
    area.read(offset, dst);
    if (down) {
      corrupt(dst, start, dst.position(), 0);
    }
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    if (!isDown()) {
      area.write(offset, src, fua);
    } else if (features.dropWrites) {
      src.position(src.limit());
    } else if (features.errorWrites) {
      throw error("write");
    } else {
      writeCorrupted(offset, src, fua);
    }
  }

  /** The caller's bytes are not touched. */
  private void writeCorrupted(long offset, ByteBuffer src, boolean fua) throws IOException {
    ByteBuffer copy = ByteBuffer.allocate(src.remaining()).put(src).flip();
    corrupt(copy, 0, copy.limit(), fua ? WRITE_FLAG | FUA_FLAG : WRITE_FLAG);
    area.write(offset, copy, fua);
  }

  private void corrupt(ByteBuffer data, int start, int end, int bioFlags) {
    boolean write = (bioFlags & WRITE_FLAG) != 0;
    int length = end - start;
    if (features.corruptByte > 0
        && features.corruptByte <= length
        && features.corruptWrites == write
        && (bioFlags & features.corruptFlags) == features.corruptFlags) {
      data.put(start + (int) features.corruptByte - 1, (byte) features.corruptValue);
    }
    long probability = write ? features.randomWriteCorrupt : features.randomReadCorrupt;
    if (probability > 0 && random.applyAsLong(PROBABILITY_BASE) < probability) {
      data.put(start + (int) random.applyAsLong(length), (byte) random.applyAsLong(256));
    }
  }

  /** What is left of a request without data; false if it shall vanish. */
  private boolean passes(String operation) throws DeviceException {
    if (!isDown()) {
      return true;
    }
    if (features.errorWrites) {
      throw error(operation);
    }
    return !features.dropWrites;
  }

  @Override
  public void flush() throws IOException {
    if (passes("flush")) {
      area.flush();
    }
  }

  @Override
  public boolean supportsDiscard() {
    return area.supportsDiscard();
  }

  @Override
  public void discard(long offset, long length) throws IOException {
    if (passes("discard")) {
      area.discard(offset, length);
    }
  }

  @Override
  public Limits limits() {
    return area.limits();
  }

  @Override
  public String table(boolean showKeys) {
    return area + " " + upSeconds + " " + downSeconds + " " + features;
  }
}
