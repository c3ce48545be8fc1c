package io.jdm.mapper.target;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
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
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Chunks in turn on several devices (source: spec/dm-core.md section 6.2). */
final class StripedTarget extends Target {
  /** So many errors of one stripe raise an event. */
  private static final int MAX_EVENTS = 15;

  private final long chunk;
  private final Area[] stripes;
  private final AtomicIntegerArray errors;
  private final Runnable event;

  /**
   * @param chunk in bytes
   */
  private StripedTarget(long chunk, Area[] stripes, Runnable event) {
    this.chunk = chunk;
    this.stripes = stripes;
    this.errors = new AtomicIntegerArray(stripes.length);
    this.event = event;
  }

  /** The type {@code striped}. */
  public static final class Type implements TargetType {
    private static final long MAX_U32 = (1L << 32) - 1;

    @Override
    public String name() {
      return "striped";
    }

    @Override
    public Version version() {
      return new Version(1, 6, 0);
    }

    @Override
    public String usage() {
      return "<number of stripes> <chunk sectors> [<dev> <offset>]...";
    }

    @Override
    public Target create(TargetContext context, Arguments arguments) throws TargetException {
      if (arguments.count() < 3) {
        throw arguments.error(
            "Not enough arguments", "found " + arguments.count() + ", expected " + usage());
      }
      long count = arguments.nextNumber("number of stripes", "Invalid stripe count", 1, MAX_U32);
      long chunk = arguments.nextNumber("chunk sectors", "Invalid chunk_size", 1, MAX_U32);
      long length = context.length();
      if (length % count != 0) {
        throw arguments.error(
            "Target length not divisible by number of stripes", length + " sectors, " + count);
      }
      long width = length / count;
      if (width % chunk != 0) {
        throw arguments.error(
            "Target length not divisible by chunk size",
            width + " sectors of each stripe, chunks of " + chunk);
      }
      if (arguments.remaining() != 2 * count) {
        throw arguments.error(
            "Not enough destinations specified",
            "found "
                + arguments.remaining()
                + " words, expected "
                + count
                + " times a device and its offset");
      }
      Area[] stripes = new Area[(int) count];
      for (int i = 0; i < stripes.length; i++) {
        stripes[i] = stripe(context, arguments, width);
      }
      return new StripedTarget(Sectors.toBytes(chunk), stripes, context.event());
    }

    private static Area stripe(TargetContext context, Arguments arguments, long width)
        throws TargetException {
      String reason = "Couldn't parse stripe destination";
      String spec = arguments.next("dev", reason);
      long offset = arguments.nextNumber("offset", reason);
      try {
        return new Area(context.device(spec, offset, width), offset);
      } catch (TargetException e) {
        throw new TargetException(e.errno(), reason, e.detail(), e);
      }
    }
  }

  private int stripeOf(long offset) {
    return (int) (offset / chunk % stripes.length);
  }

  /** Where a byte lies in the area of its stripe. */
  private long inside(long offset) {
    return offset / chunk / stripes.length * chunk + offset % chunk;
  }

  @Override
  public void read(long offset, ByteBuffer dst) throws IOException {
    int stripe = stripeOf(offset);
    try {
      stripes[stripe].read(inside(offset), dst);
    } catch (IOException e) {
      throw counted(stripe, e);
    }
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    int stripe = stripeOf(offset);
    try {
      stripes[stripe].write(inside(offset), src, fua);
    } catch (IOException e) {
      throw counted(stripe, e);
    }
  }

  @Override
  public void flush() throws IOException {
    forEachStripe(stripe -> stripes[stripe].flush());
  }

  @Override
  public boolean supportsDiscard() {
    return Arrays.stream(stripes).allMatch(Area::supportsDiscard);
  }

  @Override
  public void discard(long offset, long length) throws IOException {
    forEachStripe(
        stripe -> {
          long start = firstInside(stripe, offset);
          long end = firstInside(stripe, offset + length);
          if (start < end) {
            stripes[stripe].discard(start, end - start);
          }
        });
  }

  @Override
  public boolean supportsWriteZeroes() {
    return Arrays.stream(stripes).allMatch(Area::supportsWriteZeroes);
  }

  @Override
  public void writeZeroes(long offset, long length) throws IOException {
    forEachStripe(
        stripe -> {
          long start = firstInside(stripe, offset);
          long end = firstInside(stripe, offset + length);
          if (start < end) {
            stripes[stripe].writeZeroes(start, end - start);
          }
        });
  }

  /** Where, in the area of this stripe, the first of its bytes lies that is not before offset. */
  private long firstInside(int stripe, long offset) {
    long row = offset / chunk / stripes.length * chunk;
    int other = stripeOf(offset);
    if (stripe == other) {
      return row + offset % chunk;
    }
    return stripe < other ? row + chunk : row;
  }

  @FunctionalInterface
  private interface StripeAction {
    void run(int stripe) throws IOException;
  }

  /** Does it for all stripes, also after one has failed; the first failure is thrown. */
  private void forEachStripe(StripeAction action) throws IOException {
    IOException failure = null;
    for (int stripe = 0; stripe < stripes.length; stripe++) {
      try {
        action.run(stripe);
      } catch (IOException e) {
        IOException counted = counted(stripe, e);
        if (failure == null) {
          failure = counted;
        } else {
          failure.addSuppressed(counted);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private IOException counted(int stripe, IOException e) {
    boolean refused = DeviceException.errnoOf(e) == Errno.EOPNOTSUPP;
    if (!refused && errors.incrementAndGet(stripe) <= MAX_EVENTS) {
      event.run();
    }
    return e;
  }

  @Override
  public Extent extent(long offset, long length) throws IOException {
    long part = Math.min(length, chunk - offset % chunk);
    return stripes[stripeOf(offset)].extent(inside(offset), part);
  }

  @Override
  public Limits limits() {
    Limits limits = Limits.SECTORS;
    for (Area stripe : stripes) {
      limits = limits.stack(stripe.limits());
    }
    return limits;
  }

  @Override
  public long maxIoLength() {
    return chunk;
  }

  @Override
  public String status() {
    StringBuilder status = new StringBuilder().append(stripes.length);
    for (Area stripe : stripes) {
      status.append(' ').append(stripe.backing().argument());
    }
    status.append(" 1 ");
    for (int i = 0; i < stripes.length; i++) {
      status.append(errors.get(i) == 0 ? 'A' : 'D');
    }
    return status.toString();
  }

  @Override
  public String table(boolean showKeys) {
    StringBuilder table =
        new StringBuilder().append(stripes.length).append(' ').append(Sectors.fromBytes(chunk));
    for (Area stripe : stripes) {
      table.append(' ').append(stripe);
    }
    return table.toString();
  }
}
