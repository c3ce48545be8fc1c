package io.jdm.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.cli.bench.Rounds.Contestant;
import io.jdm.cli.report.Progress;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RoundsTest {
  private final Progress silent =
      new Progress(new PrintStream(OutputStream.nullOutputStream()), false);

  @Test
  void contestants_take_turns_and_every_second_round_runs_backwards() throws IOException {
    List<String> order = new ArrayList<>();
    List<Contestant<Integer>> contestants = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      contestants.add(
          new Contestant<>(
              name,
              () -> {
                order.add(name);
                return order.size();
              }));
    }

    List<List<Integer>> results = Rounds.interleave(3, contestants, silent);

    assertThat(String.join("", order)).isEqualTo("abccbaabc");
    assertThat(results).containsExactly(List.of(1, 6, 7), List.of(2, 5, 8), List.of(3, 4, 9));
  }

  @Test
  void the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
    assertThat(Rounds.median(List.of(9.0, 1.0, 2.0), Double::doubleValue)).isEqualTo(2);
    assertThat(Rounds.median(List.of(4.0, 1.0, 2.0, 100.0), Double::doubleValue)).isEqualTo(3);
    assertThat(Rounds.median(List.<Double>of(), Double::doubleValue)).isNaN();
  }

  @Test
  void ratios_are_taken_round_by_round() {
    List<Double> ours = List.of(10.0, 40.0, 9.0);
    List<Double> theirs = List.of(20.0, 80.0, 9.0);

    assertThat(Rounds.medianRatio(ours, theirs, Double::doubleValue)).isEqualTo(0.5);
    assertThat(Rounds.medianRatio(ours, List.of(), Double::doubleValue)).isNaN();
  }
}
