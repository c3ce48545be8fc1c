/** Block devices and the device mapper. */
module io.jdm.blockdev {
  exports io.jdm.blockdev;
  exports io.jdm.blockdev.io;
  exports io.jdm.mapper;

  uses io.jdm.blockdev.DeviceScheme;
  uses io.jdm.mapper.TargetType;
}
