package io.jdm.mapper.target;

import static org.assertj.core.api.Assertions.catchThrowable;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import io.jdm.mapper.TableText;
import io.jdm.mapper.TargetType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A device {@code t} with one target, on disks of the test. */
final class Mapped implements AutoCloseable {
  static final DeviceId ID = DeviceId.named("t");

  final Disks disks;
  final DeviceMapper mapper;
  final BlockDevice device;

  Mapped(Disks disks, String table, TargetType... types) throws MapperException {
    this.disks = disks;
    DeviceMapper.Builder builder = DeviceMapper.builder().deviceScheme(disks);
    List.of(types).forEach(builder::targetType);
    mapper = builder.build();
    mapper.create(DeviceDefinition.of("t", TableText.parse(table)));
    device = mapper.open(ID, true);
  }

  byte[] read(long offset, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(length);
    device.read(offset, dst);
    return dst.array();
  }

  static byte[] read(BlockDevice disk, long offset, int length) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(length);
    disk.read(offset, dst);
    return dst.array();
  }

  void write(long offset, byte[] data) throws IOException {
    device.write(offset, ByteBuffer.wrap(data));
  }

  /** What a call fails with; null if it does not. */
  static Errno errno(ThrowingCallable call) {
    Throwable failure = catchThrowable(call);
    return failure == null ? null : DeviceException.errnoOf((IOException) failure);
  }

  String status() throws MapperException {
    return mapper.status(ID, Slot.LIVE).get(0).text();
  }

  String message(String words) throws MapperException {
    return mapper.message(ID, 0, Arguments.split(words));
  }

  @Override
  public void close() {
    mapper.close();
  }
}
