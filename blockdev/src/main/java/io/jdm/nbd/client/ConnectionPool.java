package io.jdm.nbd.client;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.nbd.ExportInfo;
import io.jdm.nbd.TransmissionFlag;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections to one export: further ones are made when all are busy and the server allows it,
 * lost ones are replaced. Thread-safe; callers who find a connection wait for nothing.
 */
final class ConnectionPool {
  private static final long FIRST_PAUSE_NANOS = 20_000_000;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

  private final Connector connector;
  private final long reconnectNanos;
  private final WriteLedger ledger;
  private final ExportInfo export;

  private final ReentrantLock changing = new ReentrantLock();
  // Changed with the lock held; the arrays never change.
  private volatile ClientConnection[] connections;
  private volatile int wanted;
  private volatile boolean closed;
  private boolean down;
  private long downSince;
  private long nextAttempt;
  private DeviceException lastFailure;

  /**
   * Makes the first connection.
   *
   * @param most connections at the same time
   * @param reconnectNanos how long a request waits for a server that went away
   */
  ConnectionPool(Connector connector, int most, long reconnectNanos, WriteLedger ledger)
      throws DeviceException {
    this.connector = connector;
    this.reconnectNanos = reconnectNanos;
    this.ledger = ledger;
    ClientConnection first = connector.connect();
    this.export = first.export();
    this.connections = new ClientConnection[] {first};
    this.wanted = export.can(TransmissionFlag.CAN_MULTI_CONN) ? most : 1;
  }

  /** What the server told when the device was opened. */
  ExportInfo export() {
    return export;
  }

  /**
   * A connection for one request: the one with the fewest in flight.
   *
   * @throws DeviceException if the server has gone and does not come back in time
   */
  ClientConnection get() throws DeviceException {
    ClientConnection[] now = connections;
    ClientConnection best = null;
    boolean lost = false;
    for (ClientConnection connection : now) {
      if (!connection.isAlive()) {
        lost = true;
      } else if (best == null || connection.inFlight() < best.inFlight()) {
        best = connection;
      }
    }
    if (best == null || lost) {
      return replaceLost();
    }
    if (best.inFlight() > 0 && now.length < wanted && changing.tryLock()) {
      try {
        return another(best);
      } finally {
        changing.unlock();
      }
    }
    return best;
  }

  private ClientConnection another(ClientConnection best) {
    if (connections.length < wanted) {
      try {
        ClientConnection more = connect();
        add(more);
        return more;
      } catch (DeviceException e) {
        // The server does not want more clients, it seems: then what there is must do.
        wanted = connections.length;
      }
    }
    return best;
  }

  private ClientConnection replaceLost() throws DeviceException {
    changing.lock();
    try {
      forgetLost();
      if (connections.length > 0) {
        return connections[0];
      }
      ClientConnection connection = reconnect();
      add(connection);
      return connection;
    } finally {
      changing.unlock();
    }
  }

  private void forgetLost() {
    for (ClientConnection connection : connections) {
      if (!connection.isAlive()) {
        ledger.connectionLost();
      }
    }
    connections =
        Arrays.stream(connections)
            .filter(ClientConnection::isAlive)
            .toArray(ClientConnection[]::new);
  }

  private void add(ClientConnection connection) {
    ClientConnection[] more = Arrays.copyOf(connections, connections.length + 1);
    more[connections.length] = connection;
    connections = more;
    if (closed) {
      connection.disconnect();
    }
  }

  /**
   * Tries until the server has been gone for as long as requests wait; after that once a second, so
   * that requests fail soon.
   */
  private ClientConnection reconnect() throws DeviceException {
    long pause = FIRST_PAUSE_NANOS;
    boolean interrupted = false;
    try {
      while (true) {
        if (closed) {
          throw new DeviceException(Errno.ENODEV, "the device was closed: " + connector.describe());
        }
        long now = System.nanoTime();
        if (!down) {
          down = true;
          downSince = now;
          nextAttempt = now;
        }
        if (now >= nextAttempt) {
          pause = now - downSince < reconnectNanos ? pause : LONGEST_PAUSE_NANOS;
          nextAttempt = now + pause;
          pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
          try {
            ClientConnection connection = connect();
            down = false;
            lastFailure = null;
            return connection;
          } catch (DeviceException e) {
            lastFailure = e;
          }
        }
        if (System.nanoTime() - downSince >= reconnectNanos) {
          throw new DeviceException(
              Errno.EIO, "the server is gone: " + lastFailure.getMessage(), lastFailure);
        }
        LockSupport.parkNanos(this, nextAttempt - System.nanoTime());
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A connection to the same export as before. */
  private ClientConnection connect() throws DeviceException {
    ClientConnection connection = connector.connect();
    ExportInfo found = connection.export();
    if (found.size() == export.size()
        && found.flags().equals(export.flags())
        && found.blockSizes().equals(export.blockSizes())) {
      return connection;
    }
    connection.disconnect();
    throw new DeviceException(
        Errno.EIO,
        "the export is not the same any more: "
            + describe(found)
            + ", was "
            + describe(export)
            + ": "
            + connector.describe());
  }

  private static String describe(ExportInfo export) {
    return export.size() + " bytes, " + export.flags() + ", " + export.blockSizes();
  }

  /** Ends all connections; one that is just being made ends when it is. */
  void close() {
    closed = true;
    for (ClientConnection connection : connections) {
      connection.disconnect();
    }
  }
}
