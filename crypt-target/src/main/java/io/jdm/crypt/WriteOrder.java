package io.jdm.crypt;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets workers that encrypted the pieces of one request side by side write them one after the other
 * in ascending order: what the kernel has the thread {@code dmcrypt_write} for. A file is written
 * by one thread at a time anyway (its inode is locked), so that waiting for one's turn costs
 * nothing that writing would not.
 *
 * <p>Workers begin pieces in ascending order, so the piece whose turn it is always has a worker.
 */
final class WriteOrder {
  private static final int SPINS = 1_000;
  private static final int FAILED = -1;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private volatile int turn;

  /**
   * Waits until all pieces before this one are written. Cannot be interrupted; the interrupt status
   * is kept.
   *
   * @return false if the request failed meanwhile and nothing more is to be written
   */
  boolean await(int piece) {
    for (int i = 0; i < SPINS; i++) {
      int now = turn;
      if (now == piece || now == FAILED) {
        return now == piece;
      }
      Thread.onSpinWait();
    }
    lock.lock();
    try {
      while (turn != piece && turn != FAILED) {
        moved.awaitUninterruptibly();
      }
      return turn == piece;
    } finally {
      lock.unlock();
    }
  }

  /** The piece whose turn it was is written. */
  void written(int piece) {
    move(piece + 1);
  }

  /** A piece failed: whoever waits need not any more. */
  void fail() {
    move(FAILED);
  }

  private void move(int next) {
    lock.lock();
    try {
      if (turn != FAILED) {
        turn = next;
        moved.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }
}
