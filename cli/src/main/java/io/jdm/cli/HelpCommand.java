package io.jdm.cli;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code jdm help}: every verb, or one of them. */
@Command(name = "help", description = "Show help, for jdm or for one verb.")
final class HelpCommand implements Callable<Integer> {
  private final Session session;

  @Parameters(
      arity = "0..*",
      paramLabel = "VERB",
      description = "The verb to explain, and below it its own verbs.")
  private List<String> verbs = List.of();

  HelpCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    CommandLine line = Jdm.everything(session);
    for (String verb : verbs) {
      CommandLine below = line.getSubcommands().get(verb);
      if (below == null) {
        throw Verb.unknown(line.getCommandSpec().qualifiedName(), line, verb);
      }
      line = below;
    }
    session.stdio().print(Jdm.usage(line));
    return ExitCodes.SUCCESS;
  }
}
