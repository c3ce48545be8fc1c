package io.jdm.cli.command;

import io.jdm.cli.mount.Mount;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code jdm umount}: the end of {@code jdm mount}. */
@Command(
    name = "umount",
    description = "Unmount what 'jdm mount' has mounted, and wait until all of it is written.")
public final class UmountCommand implements Callable<Integer> {
  @Parameters(paramLabel = "DIR", description = "Where it is mounted.")
  private Path point;

  /**
   * @param session not used: there is nothing to open
   */
  public UmountCommand(Session session) {}

  @Override
  public Integer call() throws IOException {
    new Mount(point).unmount();
    return ExitCodes.SUCCESS;
  }
}
