package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * A device over another device: passes everything on unchanged. Subclasses override what they
 * change. The layer owns the device below: closing the layer closes it.
 */
public abstract class LayerDevice extends BlockDevice {
  /** The device below. */
  protected final BlockDevice below;

  protected LayerDevice(BlockDevice below) {
    this.below = below;
  }

  @Override
  public long size() {
    return below.size();
  }

  @Override
  public Limits limits() {
    return below.limits();
  }

  @Override
  public Set<Capability> capabilities() {
    return below.capabilities();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    below.read(offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    below.write(offset, src);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    below.writeFua(offset, src);
  }

  @Override
  protected void doFlush() throws IOException {
    below.flush();
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    below.discard(offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    below.writeZeroes(offset, length);
  }

  @Override
  protected Extent doExtent(long offset, long length) throws IOException {
    return below.extent(offset, length);
  }

  @Override
  protected void doClose() throws IOException {
    below.close();
  }
}
