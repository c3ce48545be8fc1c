package io.jdm.nbd.client;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Extent;
import io.jdm.blockdev.Limits;
import io.jdm.nbd.BlockSizes;
import io.jdm.nbd.Command;
import io.jdm.nbd.CommandFlag;
import io.jdm.nbd.ExportInfo;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.Reply;
import io.jdm.nbd.TransmissionFlag;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * An export of an NBD server as a block device. Many threads have requests in flight at the same
 * time, over one connection or several if the server allows it.
 *
 * <p>The address takes, besides what the NBD URI specification names, {@code connections} (1 to 16,
 * 4 if not given), {@code reconnect} (seconds that requests wait for a server that went away, 30 if
 * not given) and {@code timeout} (seconds that a server may be silent while it owes a reply, 60 if
 * not given, 0 for ever). Of TLS it takes {@code tls-certificates}, a folder as {@link
 * io.jdm.nbd.transport.PemCredentials} describes, and {@code tls-hostname}.
 *
 * <p><b>When a connection is lost</b>, requests without an answer are sent again over a new one;
 * doing them twice does no harm, provided that the server does not go on with those of the old
 * connection after it has taken the new one. Writes that were answered and not yet flushed may be
 * gone with the server, so the next {@link #flush()} (and every flush in flight) fails with {@link
 * Errno#EIO}; the caller has to write again what it had written since the flush before. FUA writes
 * are stable once they are answered.
 */
public final class NbdDevice extends BlockDevice {
  private static final int MAX_CONNECTIONS = 16;
  private static final int MAX_SECONDS = 24 * 3600;

  /** Most bytes of one discard or write-zeroes; a multiple of every minimum block size. */
  private static final int MAX_RANGE = 1 << 30;

  private final Connector connector;
  private final ConnectionPool pool;
  private final WriteLedger ledger = new WriteLedger();
  private final long reconnectNanos;
  private final ExportInfo export;
  private final Limits limits;
  private final Set<Capability> capabilities;

  private NbdDevice(NbdUri uri, boolean writable) throws IOException {
    int connections = number(uri, "connections", 4, 1, MAX_CONNECTIONS);
    reconnectNanos = TimeUnit.SECONDS.toNanos(number(uri, "reconnect", 30, 0, MAX_SECONDS));
    int timeout = number(uri, "timeout", 60, 0, MAX_SECONDS);
    connector = new Connector(uri, TimeUnit.SECONDS.toMillis(timeout));
    pool = new ConnectionPool(connector, connections, reconnectNanos, ledger);
    export = pool.export();
    if (writable && export.can(TransmissionFlag.READ_ONLY)) {
      pool.close();
      throw failure(Errno.EROFS, "the export is read-only");
    }
    BlockSizes sizes = export.blockSizes();
    limits =
        new Limits(
            sizes.minimum(),
            sizes.preferred(),
            (int) Math.min(sizes.maximum(), BlockSizes.PORTABLE_MAXIMUM) & -sizes.minimum());
    capabilities = writable ? writableCapabilities() : Set.of();
  }

  /**
   * Connects to an export.
   *
   * @param writable whether it shall be written
   * @throws DeviceException if the server cannot be reached ({@link Errno#ENXIO}), has no such
   *     export ({@link Errno#ENOENT}), or only a read-only one ({@link Errno#EROFS})
   */
  public static NbdDevice open(NbdUri uri, boolean writable) throws IOException {
    return new NbdDevice(uri, writable);
  }

  private static int number(NbdUri uri, String name, int otherwise, int min, int max)
      throws DeviceException {
    String text = uri.parameter(name, String.valueOf(otherwise));
    try {
      int value = Integer.parseInt(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new DeviceException(
        Errno.EINVAL,
        name + " is '" + text + "', expected a number from " + min + " to " + max + ": " + uri);
  }

  private Set<Capability> writableCapabilities() {
    Set<Capability> can = EnumSet.of(Capability.WRITE);
    if (export.can(TransmissionFlag.SEND_TRIM)) {
      can.add(Capability.DISCARD);
    }
    if (export.can(TransmissionFlag.SEND_WRITE_ZEROES)) {
      can.add(Capability.FAST_ZERO);
    }
    return Collections.unmodifiableSet(can);
  }

  /** What the server told about the export when the device was opened. */
  public ExportInfo export() {
    return export;
  }

  @Override
  public long size() {
    return export.size() & -limits.logicalBlockSize();
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public String describe() {
    return connector.describe();
  }

  @Override
  protected void doRead(long offset, ByteBuffer dst) throws IOException {
    int limit = dst.limit();
    long at = offset;
    try {
      while (dst.position() < limit) {
        int length = Math.min(limit - dst.position(), limits.maximumIoSize());
        dst.limit(dst.position() + length);
        request(Command.READ, 0, at, length, null, dst);
        at += length;
        dst.limit(limit);
      }
    } finally {
      dst.limit(limit);
    }
  }

  @Override
  protected void doWrite(long offset, ByteBuffer src) throws IOException {
    write(offset, src, 0);
  }

  @Override
  protected void doWriteFua(long offset, ByteBuffer src) throws IOException {
    if (export.can(TransmissionFlag.SEND_FUA)) {
      write(offset, src, CommandFlag.FUA);
    } else {
      write(offset, src, 0);
      doFlush();
    }
  }

  private void write(long offset, ByteBuffer src, int flags) throws IOException {
    int limit = src.limit();
    long at = offset;
    try {
      while (src.position() < limit) {
        int length = Math.min(limit - src.position(), limits.maximumIoSize());
        src.limit(src.position() + length);
        request(Command.WRITE, flags, at, length, src, null);
        at += length;
        src.limit(limit);
      }
    } finally {
      src.limit(limit);
    }
  }

  @Override
  protected void doFlush() throws IOException {
    if (!capabilities.contains(Capability.WRITE) || !export.can(TransmissionFlag.SEND_FLUSH)) {
      return;
    }
    WriteLedger.Mark mark = ledger.mark();
    request(Command.FLUSH, 0, 0, 0, null, null);
    if (!ledger.canFlush(mark)) {
      throw failure(
          Errno.EIO,
          "the connection was lost and the server may have lost writes since the last flush");
    }
    ledger.flushed(mark);
  }

  @Override
  protected void doDiscard(long offset, long length) throws IOException {
    range(Command.TRIM, offset, length);
  }

  @Override
  protected void doWriteZeroes(long offset, long length) throws IOException {
    if (capabilities.contains(Capability.FAST_ZERO)) {
      range(Command.WRITE_ZEROES, offset, length);
    } else {
      super.doWriteZeroes(offset, length);
    }
  }

  private void range(Command command, long offset, long length) throws IOException {
    for (long done = 0; done < length; done += MAX_RANGE) {
      request(command, 0, offset + done, (int) Math.min(MAX_RANGE, length - done), null, null);
    }
  }

  @Override
  protected Extent doExtent(long offset, long length) throws IOException {
    if (!pool.get().knowsAllocation()) {
      return Extent.data(length);
    }
    int asked = (int) Math.min(MAX_RANGE, length);
    ClientConnection.Outcome outcome =
        request(Command.BLOCK_STATUS, CommandFlag.REQ_ONE, offset, asked, null, null);
    boolean hole = (outcome.extentState() & Reply.STATE_HOLE) != 0;
    boolean zero = (outcome.extentState() & Reply.STATE_ZERO) != 0;
    return new Extent(
        outcome.extentLength(),
        !zero ? Extent.State.DATA : hole ? Extent.State.HOLE : Extent.State.ZERO);
  }

  @Override
  protected void doClose() {
    pool.close();
  }

  /** Does one request, over a new connection if one is lost meanwhile. */
  private ClientConnection.Outcome request(
      Command command, int flags, long offset, int length, ByteBuffer src, ByteBuffer dst)
      throws IOException {
    boolean volatileWrite =
        command == Command.TRIM
            || command == Command.WRITE_ZEROES
            || (command == Command.WRITE && (flags & CommandFlag.FUA) == 0);
    ByteBuffer data = src != null ? src : dst;
    int start = data == null ? 0 : data.position();
    long firstLoss = 0;
    while (true) {
      ClientConnection connection = pool.get();
      long connectionsLost = volatileWrite ? ledger.connectionsLost() : 0;
      IOException lost;
      try {
        ClientConnection.Outcome outcome =
            connection.execute(command, flags, offset, length, src, dst);
        if (outcome.errno() != Errno.ESHUTDOWN) {
          if (outcome.errno() != null) {
            throw refused(command, offset, length, outcome);
          }
          if (volatileWrite) {
            ledger.answered(connectionsLost);
          }
          return outcome;
        }
        connection.disconnect();
        lost = refused(command, offset, length, outcome);
      } catch (ClientConnection.LostException e) {
        lost = e;
      }
      long now = System.nanoTime();
      if (firstLoss == 0) {
        firstLoss = now;
      }
      if (!isOpen()) {
        throw failure(Errno.ENODEV, "the device was closed during a request");
      }
      if (now - firstLoss >= reconnectNanos) {
        throw failure(
            Errno.EIO, what(command, offset, length) + " failed: " + lost.getMessage(), lost);
      }
      if (data != null) {
        data.position(start);
      }
    }
  }

  private DeviceException refused(
      Command command, long offset, int length, ClientConnection.Outcome outcome) {
    String text = outcome.message().isEmpty() ? outcome.errno().message() : outcome.message();
    return failure(outcome.errno(), what(command, offset, length) + " is answered with: " + text);
  }

  private static String what(Command command, long offset, int length) {
    return command == Command.FLUSH
        ? command.toString()
        : command + " of " + length + " bytes at " + offset;
  }
}
