package io.jdm.cli.dd;

import io.jdm.blockdev.Errno;
import io.jdm.blockdev.io.BufferPool;
import io.jdm.cli.session.ErrorText;
import io.jdm.cli.session.Quote;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The work of one dd: skip, seek, then a loop that reads a block and writes it, as POSIX describes
 * it. The loop allocates nothing and, unless blocks must be gathered or converted, copies nothing:
 * the block that was read is the block that is written.
 */
final class DdCopy {
  /** The most that a buffer can hold, page-aligned. */
  private static final long MAX_BLOCK_SIZE = Integer.MAX_VALUE - 4096;

  private final DdOperands operands;
  private final Source source;
  private final Sink sink;
  private final DdReport report;
  private final String inputName;
  private final String outputName;

  private final long maxReads;

  private ByteBuffer in;
  private ByteBuffer out;
  private Converter converter;

  private boolean failed;
  private boolean sparse;
  private boolean lastWasSkip;
  private boolean warnPartialRead;
  private int previousRead;
  private final AtomicInteger stoppedBy = new AtomicInteger();

  DdCopy(DdOperands operands, Source source, Sink sink, DdReport report) {
    this.operands = operands;
    this.source = source;
    this.sink = sink;
    this.report = report;
    this.inputName = operands.inputName();
    this.outputName = operands.outputName();
    this.sparse = operands.converts(Conversion.SPARSE);
    this.maxReads = operands.maxBlocks + (operands.maxBytes > 0 ? 1 : 0);
    this.warnPartialRead = operands.warnsPartialRead();
  }

  /**
   * Makes {@link #run} end before its next block; from any thread.
   *
   * @param signal the number of the one that wants it so
   * @return whether it is the first
   */
  boolean stop(int signal) {
    return stoppedBy.compareAndSet(0, signal);
  }

  /** The number of the signal that stopped it, or 0. */
  int stoppedBy() {
    return stoppedBy.get();
  }

  /**
   * Copies.
   *
   * @return whether nothing failed
   * @throws DdException if it had to stop before its end
   */
  boolean run() throws DdException {
    skip();
    seek();
    if (operands.maxBlocks == 0 && operands.maxBytes == 0) {
      return true;
    }
    allocateInput();
    if (operands.reblocks()) {
      out = allocate(operands.outputBlockSize, "output");
      converter = new Converter(operands, out, this::writeGathered, report);
    }
    copyBlocks();
    if (converter != null) {
      converter.finish();
    }
    if (lastWasSkip) {
      extend();
    }
    report.lastProgress();
    sync();
    return !failed;
  }

  private void skip() throws DdException {
    long bytes = operands.inputStart();
    if (bytes == 0) {
      return;
    }
    String name = Quote.fileIfNeeded(inputName);
    long skipped;
    if (source.seekable()) {
      try {
        skipped = skipBySeeking(bytes);
      } catch (IOException e) {
        throw DdException.failure(name + ": cannot skip", e);
      }
    } else {
      skipped = skipByReading();
    }
    if (skipped != bytes) {
      report.warn(name + ": cannot skip to specified offset");
    }
  }

  private long skipBySeeking(long bytes) throws IOException {
    long start = source.position();
    source.seek(sum(start, bytes));
    long size = source.fileSize();
    return size < 0 ? bytes : Math.max(0, Math.min(bytes, size - start));
  }

  private static long sum(long start, long bytes) throws IOException {
    if (bytes < 0 || start > Long.MAX_VALUE - bytes) {
      throw new IOException(Errno.EOVERFLOW.message());
    }
    return start + bytes;
  }

  private long skipByReading() throws DdException {
    allocateInput();
    long skipped = 0;
    for (long block = 0; block <= operands.skipBlocks; block++) {
      long wanted = block < operands.skipBlocks ? operands.inputBlockSize : operands.skipBytes;
      if (wanted == 0) {
        break;
      }
      int read;
      try {
        read = read((int) wanted);
      } catch (IOException e) {
        throw DdException.failure("error reading " + Quote.file(inputName), e);
      }
      if (read == 0) {
        break;
      }
      skipped += read;
    }
    return skipped;
  }

  private void seek() throws DdException {
    long bytes = operands.outputStart();
    if (bytes == 0) {
      return;
    }
    try {
      if (!sink.seekable()) {
        throw new IOException("Illegal seek");
      }
      sink.seek(sum(sink.position(), bytes));
    } catch (IOException e) {
      throw DdException.failure(Quote.fileIfNeeded(outputName) + ": cannot seek", e);
    }
  }

  private void allocateInput() throws DdException {
    if (in == null) {
      in = allocate(operands.inputBlockSize, "input");
    }
  }

  private static ByteBuffer allocate(long size, String which) throws DdException {
    try {
      if (size <= MAX_BLOCK_SIZE) {
        return BufferPool.allocateAligned((int) size);
      }
    } catch (OutOfMemoryError e) {
      // Said below, as for sizes that no buffer can have.
    }
    throw DdException.failure(
        String.format(
            "memory exhausted by %s buffer of size %d bytes (%s)",
            which, size, HumanReadable.iec(size)));
  }

  private void copyBlocks() throws DdException {
    boolean pad = operands.converts(Conversion.SYNC);
    byte padding = operands.padding();
    int blockSize = in.capacity();
    int partial = 0;
    while (true) {
      report.progress();
      checkStopped(null);
      long blocks = report.blocksIn();
      if (blocks >= maxReads) {
        return;
      }
      int length;
      try {
        length = read(blocks >= operands.maxBlocks ? (int) operands.maxBytes : blockSize);
        if (length == 0) {
          return;
        }
      } catch (IOException e) {
        checkStopped(e);
        if (!passBadBlock(blockSize - partial, e)) {
          return;
        }
        if (!pad || partial > 0) {
          continue;
        }
        length = 0;
      }
      report.blockIn(length == blockSize);
      partial = length < blockSize ? length : 0;
      if (pad && length < blockSize) {
        fill(in, length, padding);
        length = blockSize;
      }
      write(length);
    }
  }

  /** Reads one block of at most so many bytes to the start of the input buffer; 0 at the end. */
  private int read(int size) throws IOException {
    in.clear().limit(size);
    int read = source.read(in);
    if (operands.inputFlags.contains(Flag.FULLBLOCK)) {
      int more = read;
      while (more > 0 && in.hasRemaining()) {
        more = source.read(in);
        read += more;
      }
      return read;
    }
    if (warnPartialRead && read > 0) {
      if (previousRead > 0 && previousRead < size) {
        report.warn(
            "warning: partial read ("
                + previousRead
                + (previousRead == 1 ? " byte" : " bytes")
                + "); suggest iflag=fullblock");
        warnPartialRead = false;
      }
      previousRead = read;
    }
    return read;
  }

  /**
   * Says that a block cannot be read and, with {@code conv=noerror}, goes past it.
   *
   * @return whether to go on
   */
  private boolean passBadBlock(int length, IOException e) {
    String message = "error reading " + Quote.file(inputName);
    if (!operands.converts(Conversion.NOERROR)) {
      failed = true;
      report.error(message, e);
      return false;
    }
    if (operands.status != DdOperands.Status.NONE) {
      report.error(message, e);
    }
    report.statistics();
    if (source.seekable()) {
      try {
        source.skipBad(length);
      } catch (IOException seekFailure) {
        failed = true;
        report.error(Quote.fileIfNeeded(inputName) + ": cannot seek", seekFailure);
        return false;
      }
    }
    return true;
  }

  private static void fill(ByteBuffer buffer, int from, byte value) {
    buffer.clear();
    for (int i = from; i < buffer.capacity(); i++) {
      buffer.put(i, value);
    }
  }

  private void write(int length) throws DdException {
    if (converter == null) {
      writeBlock(in, length, "error writing ");
      report.blockOut(length == in.capacity());
    } else {
      converter.convert(in, length);
    }
  }

  /** Writes what the converter gathered: a block of the output's size, or the rest at the end. */
  private void writeGathered(int length) throws DdException {
    boolean last = length < out.capacity();
    writeBlock(out, length, last ? "error writing " : "writing to ");
    report.blockOut(!last);
  }

  private void writeBlock(ByteBuffer buffer, int length, String message) throws DdException {
    buffer.clear().limit(length);
    try {
      if (sparse && isZero(buffer, length) && skipZeros(length)) {
        report.bytesOut(length);
        return;
      }
      while (buffer.hasRemaining()) {
        report.bytesOut(sink.write(buffer));
        lastWasSkip = false;
      }
    } catch (IOException e) {
      if (buffer.position() > 0 && converter != null) {
        report.blockOut(false);
      }
      checkStopped(e);
      throw DdException.failure(message + Quote.file(outputName), e);
    }
  }

  private boolean skipZeros(int length) throws IOException {
    sparse = sink.skipZeros(length);
    lastWasSkip = sparse;
    return sparse;
  }

  private static boolean isZero(ByteBuffer buffer, int length) {
    int i = 0;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      if (buffer.getLong(i) != 0) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (buffer.get(i) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Gives a file that ends with skipped zeros its size. */
  private void extend() throws DdException {
    long size = 0;
    try {
      if (sink.fileSize() >= 0) {
        size = sink.position();
        if (sink.fileSize() < size) {
          sink.truncate(size);
        }
      }
    } catch (IOException e) {
      throw DdException.failure(
          "failed to truncate to " + size + " bytes in output file " + Quote.file(outputName), e);
    }
  }

  /** Does what {@code conv=fsync} and {@code conv=fdatasync} ask for at the end. */
  void sync() {
    boolean metadata = operands.converts(Conversion.FSYNC);
    if (operands.converts(Conversion.FDATASYNC)) {
      try {
        sink.sync(false);
      } catch (IOException e) {
        // What cannot do the lesser may do the greater.
        metadata |= Errno.EINVAL.message().equals(ErrorText.of(e));
        if (!metadata) {
          syncFailed("fdatasync", e);
        }
      }
    }
    if (metadata) {
      try {
        sink.sync(true);
      } catch (IOException e) {
        syncFailed("fsync", e);
      }
    }
  }

  private void syncFailed(String call, IOException e) {
    failed = true;
    report.error(call + " failed for " + Quote.file(outputName), e);
  }

  private void checkStopped(IOException e) throws DdException {
    if (stoppedBy.get() != 0) {
      throw DdException.failure("interrupted", e);
    }
  }
}
