package io.jdm.cli.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.volume.Volume;
import io.jdm.volume.Volumes;
import java.io.IOException;

/** The header that a command is about. */
public final class Headers {
  private Headers() {}

  /** Opens the device with the header, read-only. */
  public static BlockDevice open(Session session, VolumeOptions options, String device)
      throws IOException {
    return session.devices().openDeviceOrTable(options.header(device), false);
  }

  /** Reads the header of the type asked for. */
  public static Volume read(BlockDevice header, VolumeOptions options) throws IOException {
    return options.type() == null ? Volumes.read(header) : Volumes.read(header, options.type());
  }
}
