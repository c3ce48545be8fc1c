package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.ToolException;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.MapperException;
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

/** {@code jdm ls}. */
@Command(name = "ls", description = "List the devices, or show which lies on which.")
public final class LsCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private IgnoredOptions ignored;

  @Option(
      names = "--target",
      paramLabel = "TYPE",
      description = "Only devices with a target of this type.")
  private String type;

  @Option(
      names = {"-o", "--options"},
      paramLabel = "OPTIONS",
      defaultValue = "",
      description =
          "devno, devname or blkdevname; with --tree also nodevice, active, open, rw, uuid,"
              + " inverted.")
  private String options;

  @Option(names = "--tree", description = "Show the devices with those that they lie on.")
  private boolean tree;

  @Option(names = "--json", description = "Print JSON: name, major and minor number of each.")
  private boolean json;

  public LsCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, ToolException {
    DeviceMapper mapper = session.devices().mapper();
    List<DeviceInfo> devices = new ArrayList<>();
    for (DeviceInfo device : mapper.list()) {
      if (type == null || hasTarget(mapper, device)) {
        devices.add(device);
      }
    }
    session.stdio().print(text(mapper, devices));
    return ExitCodes.SUCCESS;
  }

  private String text(DeviceMapper mapper, List<DeviceInfo> devices)
      throws IOException, ToolException {
    if (json) {
      return Json.results(devices.stream().map(LsCommand::row).toList());
    }
    if (mapper.list().isEmpty()) {
      return "No devices found\n";
    }
    if (tree) {
      return new DeviceTree(mapper, DeviceTree.options(options)).text();
    }
    DeviceForm form = form();
    StringBuilder lines = new StringBuilder();
    for (DeviceInfo device : devices) {
      String shown = form.of(device.name(), device.number(), type == null ? ":" : ", ");
      lines.append(device.name()).append("\t(").append(shown).append(")\n");
    }
    return lines.toString();
  }

  private DeviceForm form() throws ToolException {
    for (DeviceForm form : DeviceForm.values()) {
      if (form.name().equals(options) || options.isEmpty()) {
        return form;
      }
    }
    throw new ToolException("Unrecognised option: " + options);
  }

  private boolean hasTarget(DeviceMapper mapper, DeviceInfo device) throws MapperException {
    return mapper.status(device.id(), Slot.LIVE).stream()
        .anyMatch(line -> line.type().equals(type));
  }

  private static Map<String, Object> row(DeviceInfo device) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", device.name());
    row.put("major", device.number().major());
    row.put("minor", device.number().minor());
    return row;
  }
}
