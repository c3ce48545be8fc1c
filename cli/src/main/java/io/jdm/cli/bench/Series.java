package io.jdm.cli.bench;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The samples of one thing measured in several rounds, in the order of the rounds. What was
 * measured side by side is compared round by round, so that a machine that slows down for a while
 * slows both.
 */
record Series(List<Sample> samples) {
  Series {
    samples = List.copyOf(samples);
  }

  /** The median of what {@code value} says of each sample. */
  double median(ToDoubleFunction<Sample> value) {
    return Rounds.median(samples.stream().mapToDouble(value).toArray());
  }

  /** The median over the rounds of this one's value divided by the other's. */
  double ratioTo(Series other, ToDoubleFunction<Sample> value) {
    return Rounds.medianRatio(samples, other.samples, value);
  }
}
