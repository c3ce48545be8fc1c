package io.jdm.cli.session;

import java.io.IOException;

/**
 * What one command has while it runs: its standard streams, the global options, and the devices
 * that these describe. Not thread-safe.
 */
public final class Session implements AutoCloseable {
  private final Stdio stdio;
  private final GlobalOptions options;
  private VolumeOptions volumes = new VolumeOptions();
  private Devices devices;

  public Session(Stdio stdio, GlobalOptions options) {
    this.stdio = stdio;
    this.options = options;
  }

  /** The standard streams. */
  public Stdio stdio() {
    return stdio;
  }

  /** What stood before the verb. */
  public GlobalOptions options() {
    return options;
  }

  /** How {@code volume:} devices are unlocked; before the devices are asked for. */
  public void unlockWith(VolumeOptions volumes) {
    this.volumes = volumes;
  }

  /**
   * The devices, made when they are first asked for.
   *
   * @throws io.jdm.mapper.MapperException if one is refused
   */
  public Devices devices() throws IOException {
    if (devices == null) {
      devices = Devices.create(options.maps(), options.engine(), volumes, stdio);
    }
    return devices;
  }

  @Override
  public void close() {
    if (devices != null) {
      devices.close();
    }
  }
}
