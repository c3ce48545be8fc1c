package io.jdm.mapper;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.Threads;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IoGateTest {
  private final IoGate gate = new IoGate();

  @Test
  void requestsWaitWhileItIsStoppedAndAreTurnedAwayWhenItIsClosed() throws Exception {
    int inside = gate.enter();
    gate.stop();
    var waiting = Running.start(gate::enter).untilItWaits();
    var drain =
        Running.start(
            () -> {
              gate.drain();
              return 0;
            });
    drain.untilItWaits();
    gate.leave(inside);
    drain.result();
    gate.open();
    assertThat(waiting.result()).isNotEqualTo(IoGate.GONE);
    gate.stop();
    var turnedAway = Running.start(gate::enter).untilItWaits();
    gate.close();
    assertThat(turnedAway.result()).isEqualTo(IoGate.GONE);
    gate.open();
    assertThat(gate.enter()).as("closed for good").isEqualTo(IoGate.GONE);
    gate.leave(waiting.result());
    gate.drainUninterruptibly();
  }

  @Test
  void nobodyIsInsideWhileItIsStoppedAndDrained() throws Exception {
    AtomicBoolean quiet = new AtomicBoolean();
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger violations = new AtomicInteger();
    LongAdder requests = new LongAdder();
    Threads.runTogether(
        5,
        thread -> {
          if (thread == 0) {
            for (int i = 0; i < 3_000; i++) {
              gate.stop();
              gate.drain();
              quiet.set(true);
              Thread.onSpinWait();
              quiet.set(false);
              gate.open();
            }
            done.set(true);
            return;
          }
          while (!done.get()) {
            int stripe = gate.enter();
            if (quiet.get()) {
              violations.incrementAndGet();
            }
            requests.increment();
            gate.leave(stripe);
          }
        });
    assertThat(violations).hasValue(0);
    assertThat(requests.sum()).isPositive();
  }
}
