package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.cli.volume.Headers;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code jdm luksUUID}. */
@Command(name = "luksUUID", description = "Print the UUID of a LUKS volume.")
public final class LuksUuidCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Parameters(paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  public LuksUuidCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException {
    try (BlockDevice header = Headers.open(session, options, device)) {
      session.stdio().print(Headers.read(header, options).uuid() + System.lineSeparator());
      return ExitCodes.SUCCESS;
    }
  }
}
