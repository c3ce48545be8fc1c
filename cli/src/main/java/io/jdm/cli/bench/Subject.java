package io.jdm.cli.bench;

import io.jdm.blockdev.BlockDevice;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Takes requests at positions, whole. */
interface Subject extends AutoCloseable {
  void read(long offset, ByteBuffer dst) throws IOException;

  void write(long offset, ByteBuffer src) throws IOException;

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
    return new Subject() {
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
    };
  }
}
