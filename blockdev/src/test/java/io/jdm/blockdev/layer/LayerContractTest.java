package io.jdm.blockdev.layer;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import io.jdm.blockdev.memory.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract for every layer, and for every layer over every other. */
@ParameterizedClass(name = "{0}")
@MethodSource("stacks")
class LayerContractTest extends BlockDeviceContract {
  private static final int BLOCK = 512;

  @Parameter Stack stack;

  /** A way to put one layer over what another opener opens. */
  private enum Layer {
    SLICE {
      @Override
      Opener over(Opener lower) {
        return (content, below) -> {
          byte[] larger = new byte[content.length + 3 * 4096];
          System.arraycopy(content, 0, larger, 4096, content.length);
          return SliceDevice.of(lower.open(larger, below), 4096, content.length);
        };
      }
    },
    READ_ONLY {
      @Override
      Opener over(Opener lower) {
        return (content, below) -> ReadOnlyDevice.of(lower.open(content, below));
      }
    },
    ALIGNING {
      @Override
      Opener over(Opener lower) {
        return (content, below) -> AligningDevice.of(lower.open(content, below));
      }
    },
    COUNTING {
      @Override
      Opener over(Opener lower) {
        return (content, below) -> CountingDevice.of(lower.open(content, below));
      }
    },
    FAILING {
      @Override
      Opener over(Opener lower) {
        return (content, below) -> FailingDevice.of(lower.open(content, below));
      }
    },
    DELAYING {
      @Override
      Opener over(Opener lower) {
        return (content, below) ->
            DelayingDevice.of(
                lower.open(content, below),
                Duration.ofNanos(1),
                Duration.ofNanos(1),
                Duration.ZERO);
      }
    },
    CACHING {
      @Override
      Opener over(Opener lower) {
        CachingDevice.Options small =
            new CachingDevice.Options(
                "test", 64 << 10, 8 << 10, 40 << 10, 32 << 10, Duration.ofMillis(5));
        return (content, below) -> CachingDevice.over(lower.open(content, below), small);
      }
    };

    abstract Opener over(Opener lower);
  }

  private record Stack(String name, Opener opener) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Stack> stacks() {
    List<Stack> stacks = new ArrayList<>();
    for (Layer lower : Layer.values()) {
      Opener one = lower.over(LayerContractTest::memory);
      stacks.add(new Stack(lower.name(), one));
      for (Layer upper : Layer.values()) {
        stacks.add(new Stack(upper + " over " + lower, upper.over(one)));
      }
    }
    return stacks;
  }

  private static BlockDevice memory(byte[] content, UnaryOperator<BlockDevice> below)
      throws IOException {
    MemoryDevice memory = MemoryDevice.ofSize(content.length, BLOCK);
    memory.write(0, ByteBuffer.wrap(content));
    return below.apply(memory);
  }

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException {
    return stack.opener().open(content, below);
  }
}
