package io.jdm.nbd.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a flush may claim success after a connection was lost. */
class WriteLedgerTest {
  private final WriteLedger ledger = new WriteLedger();

  private void write() {
    ledger.answered(ledger.connectionsLost());
  }

  private boolean flush() {
    WriteLedger.Mark mark = ledger.mark();
    if (!ledger.canFlush(mark)) {
      return false;
    }
    ledger.flushed(mark);
    return true;
  }

  @Test
  void aLossWithoutWritesIsNone() {
    ledger.connectionLost();
    assertThat(flush()).isTrue();
  }

  @Test
  void flushedWritesCannotBeLost() {
    write();
    assertThat(flush()).isTrue();
    ledger.connectionLost();
    assertThat(flush()).isTrue();
  }

  @Test
  void aLossOfWritesIsToldOnce() {
    write();
    ledger.connectionLost();
    assertThat(flush()).isFalse();
    assertThat(flush()).isTrue();
    ledger.connectionLost();
    assertThat(flush()).as("nothing was written since").isTrue();
  }

  @Test
  void writesAfterALossAreNotForgottenWhenItIsTold() {
    write();
    ledger.connectionLost();
    write();
    assertThat(flush()).isFalse();
    ledger.connectionLost();
    assertThat(flush()).as("the second write was not flushed either").isFalse();
    assertThat(flush()).isTrue();
  }

  @Test
  void aFlushInFlightWhenTheConnectionIsLostFails() {
    write();
    WriteLedger.Mark mark = ledger.mark();
    ledger.connectionLost();
    assertThat(ledger.canFlush(mark)).isFalse();
    assertThat(flush()).as("it was told").isTrue();
  }

  @Test
  void everyFlushThatBeganBeforeTheLossWasToldFails() {
    write();
    ledger.connectionLost();
    WriteLedger.Mark first = ledger.mark();
    WriteLedger.Mark second = ledger.mark();
    assertThat(ledger.canFlush(first)).isFalse();
    assertThat(ledger.canFlush(second)).isFalse();
    assertThat(flush()).isTrue();
  }

  @Test
  void aWriteWhoseAnswerCameWhileAConnectionWasLostCountsAsLost() {
    long before = ledger.connectionsLost();
    ledger.connectionLost();
    ledger.answered(before);
    assertThat(flush()).isFalse();
  }

  @Test
  void aFlushCoversWritesAnsweredBeforeItBegan() {
    write();
    WriteLedger.Mark mark = ledger.mark();
    write();
    assertThat(ledger.canFlush(mark)).isTrue();
    ledger.flushed(mark);
    ledger.connectionLost();
    assertThat(flush()).as("the second write came after the flush").isFalse();
  }
}
