package io.jdm.cli.bench;

import io.jdm.cli.report.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How jdm measures: everything that is compared runs once in every round, in turns, so that
 * whatever else the machine does hits all alike; every second round runs backwards. What is
 * reported is the median of the rounds, and the median of the ratios within a round.
 */
final class Rounds {
  /** Enough for a median. */
  static final int DEFAULT = 3;

  private Rounds() {}

  /** Measures something once. */
  @FunctionalInterface
  interface Measurement<T> {
    T take() throws IOException;
  }

  /**
   * Something that is measured once in every round.
   *
   * @param name what to call it in the progress line
   */
  record Contestant<T>(String name, Measurement<T> measurement) {}

  /**
   * Measures all of them in turns.
   *
   * @param rounds how often each is measured, above 0
   * @return for each contestant, in their order, its results in the order of the rounds
   */
  static <T> List<List<T>> interleave(
      int rounds, List<Contestant<T>> contestants, Progress progress) throws IOException {
    List<List<T>> results = new ArrayList<>();
    contestants.forEach(contestant -> results.add(new ArrayList<>()));
    int count = contestants.size();
    for (int round = 0; round < rounds; round++) {
      for (int turn = 0; turn < count; turn++) {
        int index = round % 2 == 0 ? turn : count - 1 - turn;
        Contestant<T> contestant = contestants.get(index);
        progress.show(
            String.format(
                "round %d of %d, %d of %d: %s",
                round + 1, rounds, turn + 1, count, contestant.name()));
        results.get(index).add(contestant.measurement().take());
      }
    }
    return results;
  }

  /**
   * The median over the rounds of a value: the middle one, or the mean of the two in the middle.
   */
  static <T> double median(List<T> results, ToDoubleFunction<T> value) {
    return median(results.stream().mapToDouble(value).toArray());
  }

  /**
   * The median over the rounds of one's value divided by the other's in the same round; NaN if
   * there is none.
   */
  static <T> double medianRatio(List<T> some, List<T> others, ToDoubleFunction<T> value) {
    double[] ratios = new double[Math.min(some.size(), others.size())];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = value.applyAsDouble(some.get(i)) / value.applyAsDouble(others.get(i));
    }
    return median(ratios);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int n = values.length;
    return n == 0 ? Double.NaN : (values[(n - 1) / 2] + values[n / 2]) / 2;
  }
}
