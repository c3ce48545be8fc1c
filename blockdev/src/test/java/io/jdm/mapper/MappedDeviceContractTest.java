package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Mapped devices are block devices, with every target that keeps what is written to it. */
@ParameterizedClass(name = "{0}")
@MethodSource("tables")
class MappedDeviceContractTest extends BlockDeviceContract {
  @Parameter String table;

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();
  private int opened;

  static List<String> tables() {
    return List.of(
        "0 416 linear DISK 0",
        "0 416 linear DISK 3",
        "0 416 striped 2 8 DISK 0 DISK 208",
        "0 416 striped 4 13 DISK 0 DISK 104 DISK 208 DISK 312",
        "0 416 delay DISK 0 0 DISK 0 0 DISK 0 1",
        "0 416 flakey DISK 8 4294967295 0",
        "0 416 dust DISK 5 4096",
        "0 7 linear DISK 409\n7 1 linear DISK 408\n8 208 striped 2 4 DISK 0 DISK 104\n"
            + "216 200 delay DISK 208 0");
  }

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException {
    String disk = "d" + opened++;
    disks.add(disk, SIZE + 16 * 512);
    TableText text = TableText.parse(table.replace("DISK", "disk:" + disk));
    DeviceId id = mapper.create(DeviceDefinition.of(disk, text)).id();
    try (BlockDevice device = mapper.open(id, true)) {
      device.write(0, ByteBuffer.wrap(content));
    }
    mapper.remove(id, false);
    disks.wrap(disk, below);
    mapper.create(DeviceDefinition.of(disk, text));
    return mapper.open(id, true);
  }

  @AfterEach
  void closeMapper() {
    mapper.close();
  }
}
