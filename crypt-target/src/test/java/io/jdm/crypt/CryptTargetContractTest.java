package io.jdm.crypt;

import io.jdm.mapper.TargetContract;
import io.jdm.mapper.TargetType;
import java.util.List;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of targets, for crypt. */
@ParameterizedClass(name = "{0}")
@MethodSource("samples")
class CryptTargetContractTest extends TargetContract {
  @Parameter String arguments;

  static List<String> samples() {
    return List.of(
        "aes-xts-plain64 " + CryptFixture.KEY + " 0 DISK 0",
        "aes-xts-plain64 " + CryptFixture.KEY + " 16 DISK 0 2 allow_discards sector_size:4096",
        "cipher_null-ecb - 0 DISK 0 1 integrity:16:none");
  }

  @Override
  protected String arguments() {
    return arguments;
  }

  @Override
  protected TargetType type() {
    return new CryptTargetType();
  }
}
