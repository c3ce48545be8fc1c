package io.jdm.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class TeamTest {
  private static final int REQUEST = 512;

  @Test
  void counts_what_all_threads_did_even_if_the_time_is_over_at_once() throws IOException {
    AtomicInteger batches = new AtomicInteger();
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    Team.Work work =
        () -> {
          threads.add(Thread.currentThread());
          batches.incrementAndGet();
          return 7;
        };

    Sample sample = Team.run(List.of(work, work, work), REQUEST, 0);

    assertThat(threads).hasSize(3).doesNotContain(Thread.currentThread());
    assertThat(sample.operations()).isEqualTo(7L * batches.get());
    assertThat(sample.bytes()).isEqualTo(sample.operations() * REQUEST);
    assertThat(sample.nanos()).isNotNegative();
    assertThat(sample.cpuBytesPerSecond()).isPositive();
  }

  @Test
  void counts_the_heap_that_its_threads_allocate() throws IOException {
    byte[][] sink = new byte[1][];
    Team.Work work =
        () -> {
          sink[0] = new byte[1 << 20];
          return 1;
        };

    Sample sample = Team.run(List.of(work), REQUEST, 0);

    assertThat(sample.allocatedBytes()).isGreaterThanOrEqualTo(sample.operations() << 20);
  }

  @Test
  void a_failure_is_thrown_when_all_have_stopped() {
    Team.Work good = () -> 1;
    Team.Work bad =
        () -> {
          throw new IOException("medium error");
        };

    assertThatIOException()
        .isThrownBy(() -> Team.run(List.of(good, bad), REQUEST, 0))
        .withMessage("medium error");
  }

  @Test
  void an_error_of_the_program_is_not_lost() {
    Team.Work bad =
        () -> {
          throw new IndexOutOfBoundsException("5");
        };

    assertThatIllegalStateException()
        .isThrownBy(() -> Team.run(List.of(bad), REQUEST, 0))
        .withCauseInstanceOf(IndexOutOfBoundsException.class);
  }
}
