package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;

/** A mapped device as somebody has it open; counts in its open count until closed. */
final class OpenDevice extends BlockDevice {
  private static final Set<Capability> READ_ONLY = Set.of();

  private final DeviceMapper mapper;
  private final MappedDevice device;
  private final MappedDevice user;
  private final boolean writable;

  /**
   * @param user the device whose table has opened this one, or null
   */
  OpenDevice(DeviceMapper mapper, MappedDevice device, MappedDevice user, boolean writable) {
    this.mapper = mapper;
    this.device = device;
    this.user = user;
    this.writable = writable;
  }

  @Override
  public long size() {
    return device.size();
  }

  @Override
  public Limits limits() {
    return device.limits();
  }

  @Override
  public Set<Capability> capabilities() {
    return writable ? device.capabilities() : READ_ONLY;
  }

  @Override
  public String describe() {
    return device.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    device.read(offset, dst);
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    device.write(offset, src, false);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    device.write(offset, src, true);
  }

  @Override
  protected void doFlush() throws IOException {
    device.flush();
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    device.discard(offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    device.writeZeroes(offset, length);
  }

  @Override
  protected Extent doExtent(long offset, long length) throws IOException {
    return device.extent(offset, length);
  }

  @Override
  protected void doClose() {
    mapper.release(device, user);
  }
}
