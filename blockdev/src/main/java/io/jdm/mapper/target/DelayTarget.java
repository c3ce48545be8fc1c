package io.jdm.mapper.target;

import io.jdm.blockdev.Limits;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import io.jdm.mapper.TargetType;
import io.jdm.mapper.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Passes I/O on after a while, to devices of their own for reads, writes and flushes (source:
 * spec/dm-core.md section 6.7). Suspending sends everything on its way at once.
 */
final class DelayTarget extends Target {
  private final List<Delay> given;
  private final Delay reads;
  private final Delay writes;
  private final Delay flushes;

  private DelayTarget(List<Delay> given) {
    this.given = given;
    this.reads = given.get(0);
    this.writes = given.get(Math.min(1, given.size() - 1)).copy();
    this.flushes = given.get(given.size() - 1).copy();
  }

  /** The type {@code delay}. */
  public static final class Type implements TargetType {
    private static final long MAX_U32 = (1L << 32) - 1;

    @Override
    public String name() {
      return "delay";
    }

    @Override
    public Version version() {
      return new Version(1, 4, 0);
    }

    @Override
    public String usage() {
      return "<dev> <offset> <ms> [<write dev> <offset> <ms> [<flush dev> <offset> <ms>]]";
    }

    @Override
    public Target create(TargetContext context, Arguments arguments) throws TargetException {
      int count = arguments.count();
      if (count != 3 && count != 6 && count != 9) {
        throw arguments.error(
            "Requires exactly 3, 6 or 9 arguments", "found " + count + ", expected " + usage());
      }
      Delay[] given = new Delay[count / 3];
      for (int i = 0; i < given.length; i++) {
        String spec = arguments.next("dev", "Requires exactly 3, 6 or 9 arguments");
        long offset = arguments.nextNumber("offset", "Invalid device sector");
        long millis = arguments.nextNumber("delay", "Invalid delay", 0, MAX_U32);
        given[i] = new Delay(new Area(context.device(spec, offset), offset), millis);
      }
      return new DelayTarget(List.of(given));
    }
  }

  /** Requests of one class, which wait here. */
  private static final class Delay {
    private final Area area;
    private final long millis;
    private int waiting;
    private boolean released;

    Delay(Area area, long millis) {
      this.area = area;
      this.millis = millis;
    }

    /** The same for another class of requests. */
    Delay copy() {
      return new Delay(area, millis);
    }

    /** Returns when the time is over or all are released; keeps the caller's interrupt status. */
    void await() {
      if (millis == 0) {
        return;
      }
      boolean interrupted = false;
      long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
      long begin = System.nanoTime();
      synchronized (this) {
        waiting++;
        long left = nanos;
        while (left > 0 && !released) {
          try {
            TimeUnit.NANOSECONDS.timedWait(this, left);
          } catch (InterruptedException e) {
            interrupted = true;
          }
          left = nanos - (System.nanoTime() - begin);
        }
        waiting--;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    synchronized int waiting() {
      return waiting;
    }

    /** Whether nobody waits any longer, from now on. */
    synchronized void setReleased(boolean released) {
      this.released = released;
      notifyAll();
    }

    @Override
    public String toString() {
      return area + " " + millis;
    }
  }

  @Override
  public void read(long offset, ByteBuffer dst) throws IOException {
    reads.await();
    reads.area.read(offset, dst);
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    writes.await();
    writes.area.write(offset, src, fua);
  }

  @Override
  public void flush() throws IOException {
    flushes.await();
    flushes.area.flush();
  }

  @Override
  public boolean supportsDiscard() {
    return writes.area.supportsDiscard();
  }

  @Override
  public void discard(long offset, long length) throws IOException {
    writes.await();
    writes.area.discard(offset, length);
  }

  @Override
  public Limits limits() {
    return reads.area.limits().stack(writes.area.limits()).stack(flushes.area.limits());
  }

  @Override
  public String status() {
    return reads.waiting() + " " + writes.waiting() + " " + flushes.waiting();
  }

  @Override
  public String table(boolean showKeys) {
    return String.join(" ", given.stream().map(Delay::toString).toList());
  }

  @Override
  public void presuspend() {
    setReleased(true);
  }

  @Override
  public void presuspendUndo() {
    setReleased(false);
  }

  @Override
  public void resume() {
    setReleased(false);
  }

  private void setReleased(boolean released) {
    reads.setReleased(released);
    writes.setReleased(released);
    flushes.setReleased(released);
  }
}
