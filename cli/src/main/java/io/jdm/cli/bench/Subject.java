package io.jdm.cli.bench;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.io.IoStatistics;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Optional;

/** Takes requests at positions, whole. */
interface Subject extends AutoCloseable {
  void read(long offset, ByteBuffer dst) throws IOException;

  void write(long offset, ByteBuffer src) throws IOException;

  /** The counters of a mapped device; empty for others. */
  default Optional<IoStatistics.Snapshot> statistics() {
    return Optional.empty();
  }

  @Override
  void close() throws IOException;

  /** A channel of java.nio and nothing else: the ceiling. */
  static Subject of(FileChannel channel) {
    return new Subject() {
      @Override
      public void read(long offset, ByteBuffer dst) throws IOException {
        long position = offset;
        while (dst.hasRemaining()) {
          int n = channel.read(dst, position);
          if (n < 0) {
            throw new EOFException("the file ends at " + position);
          }
          position += n;
        }
      }

      @Override
      public void write(long offset, ByteBuffer src) throws IOException {
        long position = offset;
        while (src.hasRemaining()) {
          position += channel.write(src, position);
        }
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  /** A device. */
  static Subject of(BlockDevice device) {
    return new Device(device);
  }

  /**
   * A mapped device that exists for this only.
   *
   * @param mapper without devices; closed with the subject
   */
  static Subject of(DeviceMapper mapper, DeviceDefinition definition) throws IOException {
    try (definition) {
      DeviceId id = mapper.create(definition).id();
      IoStatistics statistics = mapper.statistics(id);
      return new Device(mapper.open(id, true)) {
        @Override
        public Optional<IoStatistics.Snapshot> statistics() {
          return Optional.of(statistics.snapshot());
        }

        @Override
        public void close() throws IOException {
          try (mapper) {
            super.close();
          }
        }
      };
    } catch (IOException | RuntimeException e) {
      mapper.close();
      throw e;
    }
  }

  /** Any block device. */
  class Device implements Subject {
    private final BlockDevice device;

    private Device(BlockDevice device) {
      this.device = device;
    }

    @Override
    public void read(long offset, ByteBuffer dst) throws IOException {
      device.read(offset, dst);
    }

    @Override
    public void write(long offset, ByteBuffer src) throws IOException {
      device.write(offset, src);
    }

    @Override
    public void close() throws IOException {
      device.close();
    }
  }
}
