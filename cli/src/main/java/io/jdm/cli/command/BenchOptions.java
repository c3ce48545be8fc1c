package io.jdm.cli.command;

import io.jdm.cli.report.Progress;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** What all of {@code jdm bench} have in common. */
final class BenchOptions {
  @Option(names = "--json", description = "Print JSON: results, one object a row, and the machine.")
  private boolean json;

  @Option(
      names = "--no-peers",
      negatable = true,
      description = "Do not run other programs beside ours to compare with.")
  private boolean noPeers;

  boolean json() {
    return json;
  }

  boolean peers() {
    return !noPeers;
  }

  Progress progress(Session session) {
    return Progress.on(session.stdio().err());
  }

  /** The engines that the command names, else the one that stands before the verb, if any. */
  static List<String> engines(List<String> engines, Session session) {
    String before = session.options().engine();
    return engines.isEmpty() && before != null ? List.of(before) : engines;
  }

  int print(Session session, String text, Map<String, Object> document) throws IOException {
    session.stdio().print(json ? Json.of(document) : text);
    return ExitCodes.SUCCESS;
  }
}
