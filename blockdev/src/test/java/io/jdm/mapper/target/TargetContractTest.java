package io.jdm.mapper.target;

import io.jdm.mapper.TargetContract;
import io.jdm.mapper.TargetType;
import java.util.List;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract for every target of this module. */
@ParameterizedClass(name = "{0}")
@MethodSource("samples")
class TargetContractTest extends TargetContract {
  @Parameter Sample sample;

  record Sample(TargetType type, String arguments) {
    @Override
    public String toString() {
      return type.name() + " " + arguments;
    }
  }

  static List<Sample> samples() {
    TargetType flakey = new FlakeyTarget.Type();
    return List.of(
        new Sample(new LinearTarget.Type(), "DISK 0"),
        new Sample(new StripedTarget.Type(), "2 8 DISK 256 DISK 0"),
        new Sample(new ZeroTarget.Type(), ""),
        new Sample(new ErrorTarget.Type(), ""),
        new Sample(new ErrorTarget.Type(), "DISK 0"),
        new Sample(new DelayTarget.Type(), "DISK 0 0 DISK 0 1 DISK 0 0"),
        new Sample(flakey, "DISK 0 60 0 1 drop_writes"),
        new Sample(flakey, "DISK 0 0 60"),
        new Sample(flakey, "DISK 0 0 60 6 drop_writes corrupt_bio_byte 1 r 99 0"),
        new Sample(new DustTarget.Type(), "DISK 0 512"));
  }

  @Override
  protected String arguments() {
    return sample.arguments();
  }

  @Override
  protected TargetType type() {
    return sample.type();
  }
}
