package io.jdm.blockdev.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.io.IoStatistics.Counts;
import io.jdm.blockdev.io.IoStatistics.Kind;
import io.jdm.blockdev.io.IoStatistics.Snapshot;
import io.jdm.testing.Allocation;
import io.jdm.testing.Threads;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class IoStatisticsTest {
  private final IoStatistics statistics = new IoStatistics();

  @Test
  void beginsWithNothing() {
    Counts none = new Counts(0, 0, 0, 0);
    assertThat(statistics.snapshot()).isEqualTo(new Snapshot(none, none, none, none, 0, 0, 0));
  }

  @Test
  void countsKindsApartInSectors() {
    statistics.end(Kind.READ, statistics.begin(), 4096);
    statistics.end(Kind.READ, statistics.begin(), 512);
    statistics.end(Kind.WRITE, statistics.begin(), 1024);
    statistics.merged(Kind.WRITE);
    statistics.end(Kind.DISCARD, statistics.begin(), 1L << 40);
    statistics.end(Kind.FLUSH, statistics.begin(), 0);
    Snapshot snapshot = statistics.snapshot();
    assertThat(snapshot.read().requests()).isEqualTo(2);
    assertThat(snapshot.read().sectors()).isEqualTo(9);
    assertThat(snapshot.read().merged()).isZero();
    assertThat(snapshot.write().requests()).isEqualTo(1);
    assertThat(snapshot.write().sectors()).isEqualTo(2);
    assertThat(snapshot.write().merged()).isEqualTo(1);
    assertThat(snapshot.discard().requests()).isEqualTo(1);
    assertThat(snapshot.discard().sectors()).isEqualTo(1L << 31);
    assertThat(snapshot.flush().requests()).isEqualTo(1);
    assertThat(snapshot.flush().sectors()).isZero();
    assertThat(snapshot.inFlight()).isZero();
  }

  @Test
  void requestsThatHaveNotEndedAreInFlight() {
    long first = statistics.begin();
    long second = statistics.begin();
    assertThat(statistics.snapshot().inFlight()).isEqualTo(2);
    statistics.end(Kind.READ, first, 512);
    assertThat(statistics.snapshot().inFlight()).isEqualTo(1);
    statistics.end(Kind.READ, second, 512);
    assertThat(statistics.snapshot().inFlight()).isZero();
  }

  @Test
  void timeIsThatOfTheRequestsAndBusyIsNeverMoreThanTheClock() {
    long clock = System.nanoTime();
    long first = statistics.begin();
    long second = statistics.begin();
    parkMillis(30);
    statistics.end(Kind.READ, first, 512);
    statistics.end(Kind.WRITE, second, 512);
    Snapshot snapshot = statistics.snapshot();
    long millis = (System.nanoTime() - clock) / 1_000_000 + 1;
    assertThat(snapshot.read().millis()).isBetween(30L, millis);
    assertThat(snapshot.write().millis()).isBetween(30L, millis);
    assertThat(snapshot.weightedMillis()).isBetween(60L, 2 * millis);
    assertThat(snapshot.busyMillis()).isBetween(29L, millis);
  }

  @Test
  void idleTimeIsNotBusy() {
    statistics.end(Kind.READ, statistics.begin(), 512);
    long busy = statistics.snapshot().busyMillis();
    parkMillis(20);
    assertThat(statistics.snapshot().busyMillis()).isEqualTo(busy);
    long start = statistics.begin();
    assertThat(statistics.snapshot().busyMillis()).isBetween(busy, busy + 5_000);
    statistics.end(Kind.READ, start, 512);
  }

  @Test
  void busyGrowsWhileARequestHangs() {
    long start = statistics.begin();
    long before = statistics.snapshot().busyMillis();
    parkMillis(20);
    assertThat(statistics.snapshot().busyMillis()).isGreaterThanOrEqualTo(before + 19);
    statistics.end(Kind.READ, start, 512);
  }

  @Test
  void losesNothingAmongThreads() throws Exception {
    Threads.runTogether(
        4,
        thread -> {
          for (int i = 0; i < 5_000; i++) {
            statistics.end(Kind.WRITE, statistics.begin(), 1024);
          }
        });
    Snapshot snapshot = statistics.snapshot();
    assertThat(snapshot.write().requests()).isEqualTo(20_000);
    assertThat(snapshot.write().sectors()).isEqualTo(40_000);
    assertThat(snapshot.inFlight()).isZero();
  }

  @Test
  void countingAllocatesNothing() throws IOException {
    Allocation.assertNone(i -> statistics.end(Kind.READ, statistics.begin(), 4096));
  }

  private static void parkMillis(long millis) {
    long end = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
