package io.jdm.cli.dd;

import io.jdm.blockdev.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A device as dd's input: ends at its size, as block devices do. */
final class DeviceSource extends DeviceEndpoint implements Source {
  /** What the kernel reads at once of a block that has a bad sector in it. */
  private static final int PAGE = 4096;

  DeviceSource(BlockDevice device) {
    super(device);
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    int start = dst.position();
    int limit = dst.limit();
    int length = clip(dst.remaining());
    try {
      device.read(position, dst.limit(start + length));
    } catch (IOException e) {
      length = readGoodPages(dst, start, length);
      if (length == 0) {
        throw e;
      }
    } finally {
      dst.limit(limit);
    }
    position += length;
    return length;
  }

  /** Reads up to the first page that fails, and returns how many bytes that are. */
  private int readGoodPages(ByteBuffer dst, int start, int length) {
    int done = 0;
    try {
      while (done < length) {
        int page = Math.min(length - done, PAGE - (int) ((position + done) % PAGE));
        device.read(position + done, dst.limit(start + done + page).position(start + done));
        done += page;
      }
    } catch (IOException e) {
      dst.position(start + done);
    }
    return done;
  }

  @Override
  public void skipBad(int length) {
    position += clip(length);
  }
}
