package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.ToolException;
import io.jdm.mapper.Dependency;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.Slot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code jdm deps}. */
@Command(
    name = "deps",
    description = "Print the devices below: mapped ones by number, others by path.")
public final class DepsCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private DeviceOperands devices;

  @Option(
      names = {"-o", "--options"},
      paramLabel = "FORM",
      defaultValue = "devno",
      description = "How to print mapped devices: devno, blkdevname or devname (default devno).")
  private DeviceForm form;

  @Option(names = "--json", description = "Print JSON: device, and a list of what it lies on.")
  private boolean json;

  public DepsCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, ToolException {
    DeviceMapper mapper = session.devices().mapper();
    List<DeviceId> ids = devices.ids();
    if (ids.isEmpty()) {
      ids = mapper.list().stream().map(DeviceInfo::id).toList();
    }
    StringBuilder lines = new StringBuilder();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (DeviceId id : ids) {
      List<Dependency> deps = mapper.deps(id, Slot.LIVE);
      String name = mapper.info(id).name();
      lines.append(devices.several() ? name + ": " : "");
      lines.append(deps.size()).append(" dependencies\t:");
      deps.forEach(dep -> lines.append(" (").append(form.of(mapper, dep, ", ")).append(')'));
      lines.append('\n');
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("device", name);
      row.put("deps", deps.stream().map(dep -> form.of(mapper, dep, ":")).toList());
      rows.add(row);
    }
    if (json) {
      session.stdio().print(Json.results(rows));
    } else {
      session.stdio().print(ids.isEmpty() ? "No devices found\n" : lines.toString());
    }
    return ExitCodes.SUCCESS;
  }
}
