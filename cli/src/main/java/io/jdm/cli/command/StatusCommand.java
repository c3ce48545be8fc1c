package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.ToolException;
import io.jdm.mapper.DeviceMapper;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code jdm status}. */
@Command(name = "status", description = "Print what the targets say of their state.")
public final class StatusCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private TargetLines lines;

  public StatusCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, ToolException {
    DeviceMapper mapper = session.devices().mapper();
    lines.devices().infos(mapper); // Here dmsetup has words of its own for one that is not there.
    lines.print(session, mapper::status);
    return ExitCodes.SUCCESS;
  }
}
