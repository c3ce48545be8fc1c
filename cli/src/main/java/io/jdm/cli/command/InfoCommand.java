package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.ToolException;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jdm info}. */
@Command(name = "info", description = "Print state, tables, open count, events of devices.")
public final class InfoCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private DeviceOperands devices;
  @Mixin private InfoColumns columns;

  @Option(names = "--json", description = "Print JSON: the fields of -c and -o.")
  private boolean json;

  public InfoCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, ToolException {
    if (columns.helpWanted()) {
      session.stdio().err().print(InfoColumns.help());
      return ExitCodes.SUCCESS;
    }
    DeviceMapper mapper = session.devices().mapper();
    List<DeviceInfo> infos = columns.sorted(mapper, devices.infos(mapper));
    if (json) {
      List<Map<String, Object>> rows = new ArrayList<>();
      for (DeviceInfo info : infos) {
        rows.add(columns.row(mapper, info));
      }
      session.stdio().print(Json.results(rows));
    } else if (infos.isEmpty()) {
      session.stdio().print("No devices found\n");
    } else if (columns.wanted()) {
      session.stdio().print(columns.text(mapper, infos));
    } else {
      StringBuilder text = new StringBuilder();
      infos.forEach(info -> text.append(paragraph(info)));
      session.stdio().print(text.toString());
    }
    return ExitCodes.SUCCESS;
  }

  private static String paragraph(DeviceInfo info) {
    StringBuilder text = new StringBuilder();
    line(text, "Name:", info.name());
    line(
        text,
        "State:",
        (info.suspended() ? "SUSPENDED" : "ACTIVE")
            + (info.readOnly() ? " (READ-ONLY)" : "")
            + (info.deferredRemove() ? " (DEFERRED REMOVE)" : ""));
    if (info.live()) {
      line(text, "Read Ahead:", "256"); // The kernel's default; here nothing reads it.
    }
    line(text, "Tables present:", tables(info));
    line(text, "Open count:", info.openCount());
    line(text, "Event number:", info.eventNumber());
    line(text, "Major, minor:", info.number().major() + ", " + info.number().minor());
    line(text, "Number of targets:", info.targets());
    if (!info.uuid().isEmpty()) {
      text.append("UUID: ").append(info.uuid()).append('\n');
    }
    return text.append('\n').toString();
  }

  private static void line(StringBuilder text, String title, Object value) {
    text.append(String.format("%-18s %s\n", title, value));
  }

  private static String tables(DeviceInfo info) {
    if (info.live()) {
      return info.inactive() ? "LIVE & INACTIVE" : "LIVE";
    }
    return info.inactive() ? "INACTIVE" : "None";
  }
}
