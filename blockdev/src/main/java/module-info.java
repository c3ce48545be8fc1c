/** Block devices and the device mapper. */
module io.jdm.blockdev {
  exports io.jdm.blockdev;
  exports io.jdm.blockdev.file;
  exports io.jdm.blockdev.io;
  exports io.jdm.blockdev.layer;
  exports io.jdm.blockdev.memory;
  exports io.jdm.mapper;

  uses io.jdm.blockdev.DeviceScheme;
  uses io.jdm.blockdev.file.HolePuncher;
  uses io.jdm.mapper.TargetType;
}
