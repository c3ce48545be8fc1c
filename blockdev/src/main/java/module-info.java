/** Block devices and the device mapper. */
module io.jdm.blockdev {
  exports io.jdm.blockdev;
  exports io.jdm.blockdev.file;
  exports io.jdm.blockdev.io;
  exports io.jdm.blockdev.layer;
  exports io.jdm.blockdev.memory;
  exports io.jdm.mapper;
  exports io.jdm.nbd;
  exports io.jdm.nbd.client;
  exports io.jdm.nbd.server;
  exports io.jdm.nbd.transport;

  uses io.jdm.blockdev.DeviceScheme;
  uses io.jdm.blockdev.file.HolePuncher;
  uses io.jdm.mapper.TargetType;

  provides io.jdm.blockdev.DeviceScheme with
      io.jdm.blockdev.file.FileScheme,
      io.jdm.blockdev.memory.MemoryScheme,
      io.jdm.nbd.client.NbdScheme.Tcp,
      io.jdm.nbd.client.NbdScheme.TcpTls,
      io.jdm.nbd.client.NbdScheme.Unix,
      io.jdm.nbd.client.NbdScheme.UnixTls;
  provides io.jdm.mapper.TargetType with
      io.jdm.mapper.target.ErrorTarget.Type,
      io.jdm.mapper.target.LinearTarget.Type,
      io.jdm.mapper.target.StripedTarget.Type,
      io.jdm.mapper.target.ZeroTarget.Type,
      io.jdm.mapper.target.DelayTarget.Type,
      io.jdm.mapper.target.FlakeyTarget.Type,
      io.jdm.mapper.target.DustTarget.Type;
}
