package io.jdm.mapper;

import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Limits;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A target that tells what is done to it. {@code probe NAME [BLOCK SIZE]}: reads as the first byte
 * of NAME; I/O can be held, and hooks can be told to fail.
 */
final class ProbeType implements TargetType {
  private final String name;
  private final Set<Feature> features;

  /** {@code presuspend a}, {@code close a} ... in the order in which they happened. */
  final List<String> calls = new CopyOnWriteArrayList<>();

  /** I/O takes a permit and gives it back; tests take it away to hold I/O. */
  final Semaphore permits = new Semaphore(1_000);

  /** Requests that are held or run now. */
  final AtomicInteger inFlight = new AtomicInteger();

  volatile String refusesResume = "";
  volatile Runnable event = () -> {};

  ProbeType(String name, Feature... features) {
    this.name = name;
    this.features = Set.of(features);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Version version() {
    return new Version(9, 8, 7);
  }

  @Override
  public String usage() {
    return "<name> [<block size>]";
  }

  @Override
  public Set<Feature> features() {
    return features;
  }

  @Override
  public Target create(TargetContext context, Arguments arguments) throws TargetException {
    String label = arguments.next("name", "Not enough arguments");
    Limits limits = Limits.SECTORS;
    if (arguments.remaining() > 0) {
      limits =
          limits.withLogicalBlockSize(
              (int) arguments.nextNumber("block size", "Bad block size", 512, 65536));
    }
    event = context.event();
    calls.add("create " + label);
    return new Probe(label, limits);
  }

  private final class Probe extends Target {
    private final String label;
    private final Limits limits;

    Probe(String label, Limits limits) {
      this.label = label;
      this.limits = limits;
    }

    private void hold() {
      inFlight.incrementAndGet();
      permits.acquireUninterruptibly();
      permits.release();
      inFlight.decrementAndGet();
    }

    @Override
    public void read(long offset, ByteBuffer dst) {
      hold();
      while (dst.hasRemaining()) {
        dst.put((byte) label.charAt(0));
      }
    }

    @Override
    public void write(long offset, ByteBuffer src, boolean fua) {
      hold();
      src.position(src.limit());
    }

    @Override
    public void flush() {
      hold();
    }

    @Override
    public Limits limits() {
      return limits;
    }

    @Override
    public String table(boolean showKeys) {
      return label;
    }

    @Override
    public String message(Arguments words) throws TargetException {
      String word = words.next("word", "");
      calls.add("message " + label + " " + word);
      if (word.equals("bad")) {
        throw new TargetException(Errno.EINVAL, "unrecognised message received.", "found 'bad'");
      }
      if (word.equals("silent")) {
        throw new TargetException(Errno.EINVAL, "", "found 'silent'");
      }
      return "reply of " + label;
    }

    @Override
    public void presuspend() {
      calls.add("presuspend " + label);
    }

    @Override
    public void presuspendUndo() {
      calls.add("presuspendUndo " + label);
    }

    @Override
    public void postsuspend() {
      calls.add("postsuspend " + label + (inFlight.get() == 0 ? "" : " with I/O in flight"));
    }

    @Override
    public void preresume() throws TargetException {
      calls.add("preresume " + label);
      if (refusesResume.equals(label)) {
        throw new TargetException(Errno.EAGAIN, "aborting resume - not ready.", "no " + label);
      }
    }

    @Override
    public void resume() {
      calls.add("resume " + label);
    }

    @Override
    public void close() {
      calls.add("close " + label);
    }
  }
}
