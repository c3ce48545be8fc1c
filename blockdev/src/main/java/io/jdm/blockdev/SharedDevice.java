package io.jdm.blockdev;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Consumer;

/** A device that is open once for several who use it; each has a handle. */
final class SharedDevice {
  /** Opens the device itself. */
  @FunctionalInterface
  interface Opener {
    BlockDevice open(boolean writable) throws IOException;
  }

  private final Opener opener;
  private final Consumer<SharedDevice> onUnused;

  /** Replaced when the device is opened again to be written. */
  private volatile BlockDevice device;

  private boolean writable;
  private int users;
  private boolean unused;

  /**
   * @param onUnused told once, when nobody uses the device any more or it could not be opened
   */
  SharedDevice(Opener opener, Consumer<SharedDevice> onUnused) {
    this.opener = opener;
    this.onUnused = onUnused;
  }

  /** A handle, or null if the last user has gone meanwhile and another SharedDevice is needed. */
  synchronized BlockDevice open(boolean wantsWritable) throws IOException {
    if (unused) {
      return null;
    }
    if (users == 0) {
      openFirst(wantsWritable);
    } else if (wantsWritable && !writable) {
      openWritable();
    }
    users++;
    return new Handle(this, wantsWritable);
  }

  private void openFirst(boolean wantsWritable) throws IOException {
    try {
      device = opener.open(wantsWritable);
      writable = wantsWritable;
    } finally {
      if (device == null) {
        unused = true;
        onUnused.accept(this);
      }
    }
  }

  /** The lock of a reader would be in the way of a writer's, so the device is closed in between. */
  private void openWritable() throws IOException {
    device.close();
    try {
      device = opener.open(true);
      writable = true;
    } catch (IOException e) {
      try {
        device = opener.open(false);
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /** Whoever comes meanwhile waits until the device is closed, and then opens it anew. */
  private synchronized void release() throws IOException {
    if (--users == 0) {
      try {
        device.close();
      } finally {
        unused = true;
        onUnused.accept(this);
      }
    }
  }

  /** The device now; waits while it is being opened again. */
  private synchronized BlockDevice current() {
    return device;
  }

  /** What one user has. */
  private static final class Handle extends BlockDevice {
    private static final Set<Capability> READ_ONLY = Set.of();

    private final SharedDevice shared;
    private final boolean writable;

    Handle(SharedDevice shared, boolean writable) {
      this.shared = shared;
      this.writable = writable;
    }

    @Override
    public long size() {
      return shared.device.size();
    }

    @Override
    public Limits limits() {
      return shared.device.limits();
    }

    @Override
    public Set<Capability> capabilities() {
      return writable ? shared.device.capabilities() : READ_ONLY;
    }

    @Override
    public String describe() {
      return shared.device.describe();
    }

    /** A read that was under way when the device was opened again to be written is repeated. */
    @Override
    protected void doRead(long offset, ByteBuffer dst) throws IOException {
      BlockDevice device = shared.device;
      int position = dst.position();
      try {
        device.read(offset, dst);
      } catch (IOException e) {
        BlockDevice opened = shared.current();
        if (opened == device) {
          throw e;
        }
        dst.position(position);
        opened.read(offset, dst);
      }
    }

    @Override
    protected void doWrite(long offset, ByteBuffer src) throws IOException {
      shared.device.write(offset, src);
    }

    @Override
    protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
      shared.device.writeFua(offset, src);
    }

    /** Those who cannot write have nothing to flush. */
    @Override
    protected void doFlush() throws IOException {
      if (writable) {
        shared.device.flush();
      }
    }

    @Override
    protected void doDiscard(long offset, long length) throws IOException {
      shared.device.discard(offset, length);
    }

    @Override
    protected void doWriteZeroes(long offset, long length) throws IOException {
      shared.device.writeZeroes(offset, length);
    }

    @Override
    protected Extent doExtent(long offset, long length) throws IOException {
      BlockDevice device = shared.device;
      try {
        return device.extent(offset, length);
      } catch (IOException e) {
        BlockDevice opened = shared.current();
        if (opened == device) {
          throw e;
        }
        return opened.extent(offset, length);
      }
    }

    @Override
    protected void doClose() throws IOException {
      shared.release();
    }
  }
}
