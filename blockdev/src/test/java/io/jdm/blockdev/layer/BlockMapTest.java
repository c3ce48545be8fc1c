package io.jdm.blockdev.layer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockMapTest {
  private static final long SEED = 7;

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 63, 64, 65, 128, 1000})
  void behavesLikeABitSet(int size) {
    Random random = new Random(SEED);
    BlockMap map = new BlockMap(size);
    BitSet model = new BitSet(size);
    for (int step = 0; step < 2000; step++) {
      int from = random.nextInt(size + 1);
      int to = from + random.nextInt(size - from + 1);
      switch (random.nextInt(10)) {
        case 0 -> {
          map.clear();
          model.clear();
        }
        case 1, 2, 3 -> {
          map.clear(from, to);
          model.clear(from, to);
        }
        default -> {
          map.set(from, to);
          model.set(from, to);
        }
      }
      String what = "seed %d, step %d".formatted(SEED, step);
      for (int i = 0; i < size; i++) {
        assertThat(map.get(i)).as(what).isEqualTo(model.get(i));
        int set = model.nextSetBit(i);
        assertThat(map.nextSet(i)).as(what).isEqualTo(set < 0 ? size : set);
        assertThat(map.nextClear(i)).as(what).isEqualTo(Math.min(size, model.nextClearBit(i)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 200})
  void retainsWhatBothHaveInARange(int size) {
    Random random = new Random(SEED);
    for (int round = 0; round < 200; round++) {
      BlockMap map = new BlockMap(size);
      BlockMap other = new BlockMap(size);
      BitSet expected = new BitSet(size);
      int from = random.nextInt(size);
      int to = from + random.nextInt(size - from + 1);
      for (int i = 0; i < size; i++) {
        boolean here = random.nextBoolean();
        boolean there = random.nextBoolean();
        map.set(i, here ? i + 1 : i);
        other.set(i, there ? i + 1 : i);
        expected.set(i, here && (there || i < from || i >= to));
      }
      map.retain(other, from, to);
      for (int i = 0; i < size; i++) {
        assertThat(map.get(i)).as("seed %d, block %d", SEED, i).isEqualTo(expected.get(i));
      }
    }
  }
}
