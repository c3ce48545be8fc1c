package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.ToolException;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jdm table}. */
@Command(name = "table", description = "Print the tables, in the form that create takes back.")
public final class TableCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private TargetLines lines;

  @Option(names = "--showkeys", description = "Print keys; otherwise zeros stand for them.")
  private boolean showKeys;

  @Option(names = "--concise", description = "Print one line that create --concise takes.")
  private boolean concise;

  public TableCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, ToolException {
    DeviceMapper mapper = session.devices().mapper();
    List<DeviceInfo> devices = concise ? lines.devices().infos(mapper) : List.of();
    if (devices.isEmpty()) {
      lines.print(session, (id, slot) -> mapper.table(id, slot, showKeys));
      return ExitCodes.SUCCESS;
    }
    for (int i = 0; i < devices.size(); i++) {
      try (DeviceDefinition definition = mapper.definition(devices.get(i).id(), showKeys)) {
        byte[] text = definition.toConcise();
        session.stdio().out().write(text);
        Arrays.fill(text, (byte) 0);
      }
      session.stdio().print(i == devices.size() - 1 ? "\n" : ";");
    }
    return ExitCodes.SUCCESS;
  }
}
