package io.jdm.nbd.client;

/**
 * Knows whether a flush can still make all answered writes stable. A server that went away may have
 * lost what it had answered and not yet flushed, and nobody has that data any more. So the next
 * flush fails, once, as fsync(2) does after a failed write-back; writes after the loss count anew.
 * When in doubt it counts as lost. Thread-safe.
 */
final class WriteLedger {
  /** Writes answered, those known to be stable, and those answered when a loss was last noticed. */
  private long answered;

  private long stable;
  private long answeredAtLoss;

  /** Connections lost, and of these the last that may have taken writes along. */
  private long connectionsLost;

  private long losses;
  private long reported;

  /**
   * What a flush found when it began.
   *
   * @param answered the writes that it makes stable
   * @param losses losses so far
   * @param unreported whether no flush has told of the last of them
   */
  record Mark(long answered, long losses, boolean unreported) {}

  /** How many connections were lost so far; a write asks before it is sent. */
  synchronized long connectionsLost() {
    return connectionsLost;
  }

  /**
   * A write was answered.
   *
   * @param connectionsLostBefore as when it was sent
   */
  synchronized void answered(long connectionsLostBefore) {
    answered++;
    if (connectionsLost != connectionsLostBefore) {
      lose();
    }
  }

  /** A connection was lost; called before another one is used instead. */
  synchronized void connectionLost() {
    connectionsLost++;
    if (answered > stable) {
      lose();
    }
  }

  private void lose() {
    losses++;
    answeredAtLoss = answered;
  }

  /** A flush begins. */
  synchronized Mark mark() {
    return new Mark(answered, losses, losses > reported);
  }

  /**
   * Whether a flush that began at a mark can succeed, as far as is known by now. If not, it is the
   * one that tells.
   */
  synchronized boolean canFlush(Mark mark) {
    if (!mark.unreported() && mark.losses() == losses) {
      return true;
    }
    reported = losses;
    stable = Math.max(stable, answeredAtLoss);
    return false;
  }

  /** The server answered a flush that began at a mark. */
  synchronized void flushed(Mark mark) {
    stable = Math.max(stable, mark.answered());
  }
}
