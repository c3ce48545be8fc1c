package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.TableText;
import io.jdm.mapper.TargetType;
import java.io.IOException;

/** The data of an unlocked volume as a block device. Closing it closes the data device too. */
public final class VolumeDevice extends LayerDevice {
  private static final String SCHEME = "volume-data";
  private static final String NAME = "volume";

  private final String description;
  private final DeviceMapper mapper;

  private VolumeDevice(String description, DeviceMapper mapper, BlockDevice mapped) {
    super(mapped);
    this.description = description;
    this.mapper = mapper;
  }

  /**
   * Maps a volume.
   *
   * @param volume stays the caller's, who can close it at once
   * @param data the data device; belongs to the result from now on, also on failure
   * @param writable whether it shall be written, which the data device must be then
   * @param crypt the target type of the encrypted parts
   * @throws VolumeException if the data device is too small for the volume
   * @throws io.jdm.mapper.MapperException if the table is refused: a cipher that is not here
   */
  public static VolumeDevice open(
      UnlockedVolume volume, BlockDevice data, boolean writable, TargetType crypt)
      throws IOException {
    String description = volume.format() + " volume in " + data.describe();
    DeviceMapper mapper =
        DeviceMapper.builder().targetType(crypt).deviceScheme(new DataScheme(data)).build();
    boolean complete = false;
    try (TableText table = volume.table(SCHEME + ":", data.size());
        DeviceDefinition definition =
            new DeviceDefinition(NAME, "", DeviceDefinition.ANY_MINOR, !writable, table)) {
      mapper.create(definition);
      BlockDevice mapped = mapper.open(DeviceId.named(NAME), writable);
      complete = true;
      return new VolumeDevice(description, mapper, mapped);
    } finally {
      if (!complete) {
        mapper.close();
        data.close();
      }
    }
  }

  @Override
  public String describe() {
    return description;
  }

  @Override
  protected void doClose() throws IOException {
    try {
      super.doClose();
    } finally {
      mapper.close();
    }
  }

  /** Names the one data device in the volume's table. */
  private record DataScheme(BlockDevice data) implements DeviceScheme {
    @Override
    public String name() {
      return SCHEME;
    }

    @Override
    public String usage() {
      return SCHEME + ":";
    }

    @Override
    public String canonicalName(String spec) {
      return SCHEME + ":";
    }

    @Override
    public BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs) {
      return data;
    }
  }
}
