package io.jdm.cli.dd;

import java.nio.ByteBuffer;

/**
 * What happens to bytes between an input block and an output block when the two are not the same:
 * translation, swapping, records padded to one length ({@code block}) or cut after their last other
 * character ({@code unblock}), and gathering to blocks of the output's size.
 */
final class Converter {
  /** Takes an output block when it is full, and the rest at the end. */
  interface Gathered {
    void write(int length) throws DdException;
  }

  private static final int NONE = 256;

  private final ByteBuffer out;
  private final Gathered gathered;
  private final DdReport report;
  private final Translation translation;
  private final boolean swab;
  private final boolean block;
  private final boolean unblock;
  private final long recordSize;
  private final boolean plain;

  private int filled;
  private long column;
  private long pendingSpaces;
  private int unpaired = NONE;

  Converter(DdOperands operands, ByteBuffer out, Gathered gathered, DdReport report) {
    this.out = out;
    this.gathered = gathered;
    this.report = report;
    this.translation = new Translation(operands.conversions);
    this.swab = operands.converts(Conversion.SWAB);
    this.block = operands.converts(Conversion.BLOCK);
    this.unblock = operands.converts(Conversion.UNBLOCK);
    this.recordSize = operands.conversionBlockSize;
    this.plain = translation.isIdentity() && !swab && !block && !unblock;
  }

  /** Takes the first bytes of an input block, which it leaves as they are. */
  void convert(ByteBuffer in, int length) throws DdException {
    if (plain) {
      gather(in, length);
      return;
    }
    for (int i = 0; i < length; i++) {
      byte b = translation.of(in.get(i));
      if (!swab) {
        put(b);
      } else if (unpaired == NONE) {
        unpaired = b;
      } else {
        put(b);
        put((byte) unpaired);
        unpaired = NONE;
      }
    }
  }

  /** Ends the last record and gives away what is left. */
  void finish() throws DdException {
    if (unpaired != NONE) {
      put((byte) unpaired);
    }
    if (block && column > 0) {
      pad();
    }
    if (unblock && column > 0) {
      gather(translation.newline());
    }
    if (filled > 0) {
      gathered.write(filled);
    }
  }

  private void put(byte b) throws DdException {
    if (block) {
      putBlocked(b);
    } else if (unblock) {
      putUnblocked(b);
    } else {
      gather(b);
    }
  }

  private void putBlocked(byte b) throws DdException {
    if (b == translation.newline()) {
      pad();
      column = 0;
      return;
    }
    if (column == recordSize) {
      report.truncatedRecord();
    } else if (column < recordSize) {
      gather(b);
    }
    column++;
  }

  private void pad() throws DdException {
    for (; column < recordSize; column++) {
      gather(translation.space());
    }
  }

  private void putUnblocked(byte b) throws DdException {
    if (column == recordSize) {
      column = 0;
      pendingSpaces = 0;
      gather(translation.newline());
    }
    column++;
    if (b == translation.space()) {
      pendingSpaces++;
      return;
    }
    for (; pendingSpaces > 0; pendingSpaces--) {
      gather(translation.space());
    }
    gather(b);
  }

  private void gather(byte b) throws DdException {
    out.put(filled++, b);
    writeIfFull();
  }

  private void gather(ByteBuffer in, int length) throws DdException {
    for (int done = 0; done < length; ) {
      int part = Math.min(length - done, out.capacity() - filled);
      out.put(filled, in, done, part);
      done += part;
      filled += part;
      writeIfFull();
    }
  }

  private void writeIfFull() throws DdException {
    if (filled == out.capacity()) {
      filled = 0;
      gathered.write(out.capacity());
    }
  }
}
