package io.jdm.cli;

import io.jdm.cli.command.BenchCommand;
import io.jdm.cli.command.CopyCommand;
import io.jdm.cli.command.DdCommand;
import io.jdm.cli.command.DepsCommand;
import io.jdm.cli.command.EnginesCommand;
import io.jdm.cli.command.InfoCommand;
import io.jdm.cli.command.IsLuksCommand;
import io.jdm.cli.command.LsCommand;
import io.jdm.cli.command.LuksAddKeyCommand;
import io.jdm.cli.command.LuksChangeKeyCommand;
import io.jdm.cli.command.LuksDumpCommand;
import io.jdm.cli.command.LuksEraseCommand;
import io.jdm.cli.command.LuksFormatCommand;
import io.jdm.cli.command.LuksHeaderBackupCommand;
import io.jdm.cli.command.LuksKillSlotCommand;
import io.jdm.cli.command.LuksRemoveKeyCommand;
import io.jdm.cli.command.LuksUuidCommand;
import io.jdm.cli.command.MountCommand;
import io.jdm.cli.command.OpenCommand;
import io.jdm.cli.command.ProbeCommand;
import io.jdm.cli.command.ServeCommand;
import io.jdm.cli.command.StatusCommand;
import io.jdm.cli.command.TableCommand;
import io.jdm.cli.command.TargetsCommand;
import io.jdm.cli.command.UmountCommand;
import io.jdm.cli.command.VersionCommand;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * A verb of {@code jdm}. {@link #ALL} is the one list of them: a new verb is a class and a line
 * here. Only the verb that is asked for is made, so that many verbs do not slow the start.
 *
 * @param name the word after {@code jdm}
 * @param maker of the picocli command, whose result is the exit code
 */
record Verb(String name, Function<Session, Callable<Integer>> maker) {
  /** Every verb, in the order of the help text. */
  static final List<Verb> ALL =
      List.of(
          new Verb("ls", LsCommand::new),
          new Verb("info", InfoCommand::new),
          new Verb("deps", DepsCommand::new),
          new Verb("status", StatusCommand::new),
          new Verb("table", TableCommand::new),
          new Verb("dd", DdCommand::new),
          new Verb("copy", CopyCommand::new),
          new Verb("bench", BenchCommand::new),
          new Verb("serve", ServeCommand::new),
          new Verb("mount", MountCommand::new),
          new Verb("umount", UmountCommand::new),
          new Verb("probe", ProbeCommand::new),
          new Verb("isLuks", IsLuksCommand::new),
          new Verb("luksUUID", LuksUuidCommand::new),
          new Verb("luksDump", LuksDumpCommand::new),
          new Verb("open", OpenCommand::new),
          new Verb("luksFormat", LuksFormatCommand::new),
          new Verb("luksAddKey", LuksAddKeyCommand::new),
          new Verb("luksChangeKey", LuksChangeKeyCommand::new),
          new Verb("luksRemoveKey", LuksRemoveKeyCommand::new),
          new Verb("luksKillSlot", LuksKillSlotCommand::new),
          new Verb("luksErase", LuksEraseCommand::new),
          new Verb("luksHeaderBackup", LuksHeaderBackupCommand::new),
          new Verb("targets", TargetsCommand::new),
          new Verb("engines", EnginesCommand::new),
          new Verb("version", VersionCommand::new),
          new Verb("help", HelpCommand::new));

  /**
   * The verb of this name.
   *
   * @throws UsageException if there is none
   */
  static Verb find(String name) throws UsageException {
    for (Verb verb : ALL) {
      if (verb.name.equals(name)) {
        return verb;
      }
    }
    throw unknown(name);
  }

  private static UsageException unknown(String name) {
    CommandLine names = new CommandLine(CommandSpec.create());
    ALL.forEach(verb -> names.addSubcommand(verb.name, CommandSpec.create()));
    return unknown("jdm", names, name);
  }

  /**
   * What to say where no verb of this name is.
   *
   * @param command whose verbs these are, for its help
   * @param line the command, with its verbs
   */
  static UsageException unknown(String command, CommandLine line, String name) {
    List<String> near = new UnmatchedArgumentException(line, List.of(name)).getSuggestions();
    return new UsageException(
        "unknown command " + Quote.word(name) + didYouMean(near),
        "Try '" + command + " --help' for more information.");
  }

  /** The words that were perhaps meant, at most two; an empty string if there are none. */
  static String didYouMean(List<String> near) {
    return near.isEmpty()
        ? ""
        : "; did you mean "
            + near.stream().limit(2).map(Quote::word).collect(Collectors.joining(" or "))
            + "?";
  }
}
