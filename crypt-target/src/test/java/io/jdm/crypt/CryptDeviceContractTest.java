package io.jdm.crypt;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.Disks;
import io.jdm.mapper.TableText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Encrypted devices are block devices: with every way through the data path. */
@ParameterizedClass(name = "{0}")
@MethodSource("tables")
class CryptDeviceContractTest extends BlockDeviceContract {
  @Parameter String table;

  private final Disks disks = new Disks();
  private final DeviceMapper mapper = DeviceMapper.builder().deviceScheme(disks).build();
  private int opened;

  static List<String> tables() {
    return List.of(
        "0 416 crypt aes-xts-plain64 KEY 0 DISK 0",
        "0 416 crypt aes-xts-plain64 KEY 8 DISK 16 3 sector_size:4096 iv_large_sectors"
            + " allow_discards",
        "0 416 crypt aes-xts-plain64 KEY 0 DISK 3 1 submit_from_crypt_cpus",
        "0 416 crypt aes-xts-plain64 KEY 0 DISK 0 1 same_cpu_crypt",
        "0 416 crypt aes-xts-plain64 KEY 0 DISK 0 2 no_read_workqueue high_priority",
        "0 416 crypt aes-cbc-essiv:sha256 KEY16 0 DISK 0 1 no_write_workqueue",
        "0 416 crypt aes-cbc-tcw KEY 0 DISK 0",
        "0 416 crypt aes:2-cbc-lmk KEY 0 DISK 0",
        "0 208 crypt aes-cbc-elephant KEY 0 DISK 0\n"
            + "208 208 crypt xchacha12,aes-adiantum-plain64 KEY32 0 DISK 208");
  }

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException {
    String disk = "d" + opened++;
    disks.add(disk, SIZE + 16 * 512);
    TableText text =
        TableText.parse(
            table
                .replace("DISK", "disk:" + disk)
                .replace("KEY16", CryptFixture.KEY.substring(0, 32))
                .replace("KEY32", CryptFixture.KEY.substring(0, 64))
                .replace("KEY", CryptFixture.KEY));
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
