package io.jdm.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceSpecs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VolumeSchemeTest {
  @TempDir Path dir;
  private Path image;

  @BeforeEach
  void make() throws IOException {
    byte[] content = Images.read("images/generated-cryptsetup-2.6.1/luks2_small_ok.img.xz");
    image = Files.write(dir.resolve("im age"), content);
    Files.writeString(dir.resolve("key&file"), "xsecretx");
  }

  private String spec() {
    return "volume:" + image + "?key-file=" + dir + "/key%26file&keyfile-offset=1&keyfile-size=6";
  }

  @Test
  void theDataOfAVolumeIsADeviceOfItsOwn() throws IOException {
    byte[] plain = new byte[524288];
    try (BlockDevice device = new DeviceSpecs(List.of()).open(spec(), true)) {
      device.read(0, ByteBuffer.wrap(plain));
      assertThat(Images.sha256(plain))
          .isEqualTo("c011b26d3cb0758039482a2a64e672e34634ab931be44619b7fa94d77e035dc5");
      device.write(4096, ByteBuffer.wrap(new byte[512]));
    }
    Arrays.fill(plain, 4096, 4608, (byte) 0);
    byte[] again = new byte[plain.length];
    try (BlockDevice device = new DeviceSpecs(List.of()).open(spec(), false)) {
      device.read(0, ByteBuffer.wrap(again));
      assertThatThrownBy(() -> device.write(0, ByteBuffer.wrap(new byte[512])))
          .isInstanceOf(DeviceException.class);
    }
    assertThat(again).isEqualTo(plain);
  }

  @Test
  void equalSpecsHaveOneName() throws IOException {
    DeviceSpecs specs = new DeviceSpecs(List.of());
    String name = specs.canonicalName(spec());
    assertThat(name).startsWith("volume:" + image + "?");
    assertThat(specs.canonicalName(name)).isEqualTo(name);
    assertThat(specs.canonicalName("volume:a?b?")).endsWith("/a?b?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "?key-file=x", "x?what=1", "x?type=luks2&type=luks2", "x?key-file=%zz"})
  void specsThatSayNothingAreRefused(String text) {
    assertThatThrownBy(() -> new DeviceSpecs(List.of()).canonicalName("volume:" + text))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("expected");
  }

  @Test
  void aVolumeWithoutAKeySaysHowToNameOne() {
    assertThatThrownBy(() -> new DeviceSpecs(List.of()).open("volume:" + image, false))
        .hasMessageContaining("?key-file=FILE");
  }
}
