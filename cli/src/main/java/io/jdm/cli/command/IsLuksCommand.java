package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.cli.volume.Headers;
import io.jdm.volume.VolumeException;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code jdm isLuks}. */
@Command(
    name = "isLuks",
    description = "Exit with 0 if the device holds a LUKS header, else with 1; print nothing.")
public final class IsLuksCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Parameters(paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  public IsLuksCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException {
    try (BlockDevice header = Headers.open(session, options, device)) {
      Headers.read(header, options);
      return ExitCodes.SUCCESS;
    } catch (VolumeException e) {
      return ExitCodes.FAILURE;
    }
  }
}
