package io.jdm.cli.command;

import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.ToolException;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import io.jdm.mapper.TargetStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What {@code jdm table} and {@code jdm status} print: one line a target. */
final class TargetLines {
  @Mixin private DeviceOperands devices;

  @Option(names = "--target", paramLabel = "TYPE", description = "Only targets of this type.")
  private String type;

  @Option(names = "--inactive", description = "The inactive tables instead of the live ones.")
  private boolean inactive;

  @Option(
      names = "--json",
      description = "Print JSON: device, start and length in sectors, type, text of each target.")
  private boolean json;

  /** Asks one device for its lines. */
  interface Question {
    List<TargetStatus> ask(DeviceId id, Slot slot) throws MapperException;
  }

  /** The operands. */
  DeviceOperands devices() {
    return devices;
  }

  /** Prints the answers of all devices asked for. */
  void print(Session session, Question question) throws IOException, ToolException {
    DeviceMapper mapper = session.devices().mapper();
    List<DeviceId> ids = devices.ids();
    if (ids.isEmpty()) {
      ids = mapper.list().stream().map(DeviceInfo::id).toList();
    }
    StringBuilder lines = new StringBuilder();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (DeviceId id : ids) {
      String name = id.name().isEmpty() ? mapper.info(id).name() : id.name();
      String prefix = devices.several() ? name + ": " : "";
      List<TargetStatus> answers = question.ask(id, inactive ? Slot.INACTIVE : Slot.LIVE);
      if (answers.isEmpty() && type == null) {
        lines.append(prefix).append('\n');
      }
      for (TargetStatus answer : answers) {
        if (type == null || type.equals(answer.type())) {
          lines.append(prefix).append(answer).append('\n');
          rows.add(row(name, answer));
        }
      }
    }
    if (json) {
      session.stdio().print(Json.results(rows));
    } else {
      session.stdio().print(ids.isEmpty() ? "No devices found\n" : lines.toString());
    }
  }

  private static Map<String, Object> row(String name, TargetStatus answer) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("device", name);
    row.put("start", answer.start());
    row.put("length", answer.length());
    row.put("type", answer.type());
    row.put("text", answer.text());
    return row;
  }
}
