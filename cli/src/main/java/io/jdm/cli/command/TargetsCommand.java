package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.mapper.TargetType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jdm targets}: the target types, as {@code dmsetup targets} prints them. */
@Command(name = "targets", description = "List the target types and their versions.")
public final class TargetsCommand implements Callable<Integer> {
  private final Session session;

  @Option(names = "--json", description = "Print JSON: name, version, usage of each.")
  private boolean json;

  public TargetsCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException {
    StringBuilder lines = new StringBuilder();
    List<Map<String, String>> rows = new ArrayList<>();
    for (TargetType type : ServiceLoader.load(TargetType.class)) {
      lines.append(String.format("%-16s v%s%n", type.name(), type.version()));
      Map<String, String> row = new LinkedHashMap<>();
      row.put("name", type.name());
      row.put("version", type.version().toString());
      row.put("usage", type.usage());
      rows.add(row);
    }
    session.stdio().print(json ? Json.results(rows) : lines.toString());
    return ExitCodes.SUCCESS;
  }
}
