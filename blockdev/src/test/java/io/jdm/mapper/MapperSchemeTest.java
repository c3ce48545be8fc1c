package io.jdm.mapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapperSchemeTest {
  private final DeviceMapper mapper = DeviceMapper.builder().build();
  @TempDir Path nodes;

  @BeforeEach
  void aDevice() throws Exception {
    mapper.create(DeviceDefinition.of("c0", TableText.parse("0 8 zero")));
  }

  @AfterEach
  void close() {
    mapper.close();
  }

  @Test
  void mappedDevicesHaveThreeSpecs() throws Exception {
    for (String spec : new String[] {"mapper:c0", "/dev/mapper/c0", "253:0"}) {
      try (BlockDevice device = mapper.openSpec(spec, true)) {
        assertThat(device.describe()).isEqualTo("mapped device c0 (253:0)");
        assertThat(mapper.info(DeviceId.named("c0")).openCount()).isEqualTo(1);
      }
      assertThat(mapper.canonicalName(spec)).isEqualTo("253:0");
    }
    DeviceException e =
        catchThrowableOfType(
            DeviceException.class, () -> mapper.openSpec("/dev/mapper/nosuch", false));
    assertThat(e).as("a file, and not there").hasMessageContaining("file /dev/mapper/nosuch");
    e = catchThrowableOfType(DeviceException.class, () -> mapper.openSpec("mapper:x", false));
    assertThat(e.errno()).isEqualTo(Errno.ENODEV);
    e = catchThrowableOfType(DeviceException.class, () -> mapper.openSpec("253:7", false));
    assertThat(e.errno()).isEqualTo(Errno.ENXIO);
    e = catchThrowableOfType(DeviceException.class, () -> mapper.openSpec("nbx:7", false));
    assertThat(e).hasMessageContaining("mapper:NAME");
  }

  @Test
  void aNodeOfTheKernelAndADeviceOfTheSameNameAreAmbiguous() throws Exception {
    MapperScheme scheme = new MapperScheme(mapper, nodes);
    String spec = nodes + "/c0";
    assertThat(scheme.claims(spec)).isTrue();
    assertThat(scheme.claims(nodes + "/c1")).isFalse();
    assertThat(scheme.claims(nodes + "/sub/c0")).isFalse();
    Files.createFile(nodes.resolve("c0"));
    DeviceException e = catchThrowableOfType(DeviceException.class, () -> scheme.claims(spec));
    assertThat(e).hasMessageContaining("mapper:c0").hasMessageContaining("file:" + spec);
  }
}
