package io.jdm.cli;

import io.jdm.cli.command.VersionCommand;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.GlobalOptions;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Stdio;
import io.jdm.crypt.engine.Engines;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code jdm} command: global options, then a verb with its arguments. */
@Command(
    name = "jdm",
    description = "The device mapper, dm-crypt and their tools in user space.",
    synopsisHeading = "Usage: ",
    customSynopsis = "jdm [OPTION]... VERB [ARGUMENT]...",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The command did what it was asked.",
      "1:It failed or was refused; standard error says why.",
      "2:No key opens the volume; 'jdm probe' found nothing.",
      "3:A key derivation needs more memory than there is.",
      "5:Somebody else is changing the volume.",
      "128+N:Signal N ended it, as a shell tells it: 130 for Ctrl-C, 141 when nobody reads on.",
      "other:That of the command that 'jdm serve --run' ran."
    },
    commandListHeading = "%nVerbs ('jdm help VERB' tells more):%n",
    sortOptions = false)
public final class Jdm {
  @Mixin private GlobalOptions options;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version.")
  private boolean version;

  @Parameters(hidden = true, paramLabel = "VERB [ARGUMENT]...")
  private List<String> words = new ArrayList<>();

  private Jdm() {}

  /**
   * Runs one command in this process and returns its exit code. Whatever it opened is closed again.
   */
  public static int run(String[] args, Stdio stdio) {
    int code;
    try {
      code = new Jdm().parseAndRun(args, stdio);
    } catch (Exception | OutOfMemoryError e) {
      code = ExitCodes.report(e, stdio.err());
    }
    stdio.err().flush();
    return code;
  }

  private int parseAndRun(String[] args, Stdio stdio) throws Exception {
    CommandLine root = new CommandLine(this).setStopAtPositional(true).setExpandAtFiles(false);
    try {
      root.parseArgs(args);
    } catch (ParameterException e) {
      return refuse(e, stdio);
    }
    try (Session session = new Session(stdio, options)) {
      return run(session);
    }
  }

  private int run(Session session) throws Exception {
    Stdio stdio = session.stdio();
    if (help) {
      stdio.print(usage(everything(session)));
      return ExitCodes.SUCCESS;
    }
    if (version) {
      return new VersionCommand(session).call();
    }
    if (words.isEmpty()) {
      stdio.err().print(usage(everything(session)));
      return ExitCodes.FAILURE;
    }
    Verb verb = Verb.find(words.get(0));
    if (options.engine() != null && !options.engine().equals(Engines.AUTO)) {
      Engines.installed().byName(options.engine());
    }
    return verb(verb, session).execute(words.subList(1, words.size()).toArray(new String[0]));
  }

  /** {@code jdm} with every verb below it, as help, completion and manual pages show it. */
  static CommandLine everything(Session session) {
    CommandLine root = new CommandLine(new Jdm());
    for (Verb verb : Verb.ALL) {
      root.addSubcommand(verb.name(), verb.maker().apply(session));
      addHelp(root.getSubcommands().get(verb.name()));
    }
    return root;
  }

  /** One verb, ready to be executed. */
  private static CommandLine verb(Verb verb, Session session) {
    Stdio stdio = session.stdio();
    CommandLine line = new CommandLine(verb.maker().apply(session));
    addHelp(line);
    return line.setCommandName("jdm " + verb.name())
        .setExpandAtFiles(false)
        .setOut(new PrintWriter(stdio.out(), true, Charset.defaultCharset()))
        .setParameterExceptionHandler((e, arguments) -> refuse(e, stdio))
        .setExecutionExceptionHandler((e, unused, parsed) -> ExitCodes.report(e, stdio.err()));
  }

  private static void addHelp(CommandLine line) {
    line.getCommandSpec()
        .addOption(
            OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Show this help.")
                .build());
    line.getSubcommands().values().forEach(Jdm::addHelp);
  }

  static String usage(CommandLine line) {
    return line.getUsageMessage(Ansi.OFF);
  }

  /** Says what is wrong with the command line, in the words of the GNU tools. */
  private static int refuse(ParameterException e, Stdio stdio) {
    stdio.err().println("jdm: " + reason(e));
    stdio
        .err()
        .println(
            "Try '"
                + e.getCommandLine().getCommandSpec().qualifiedName()
                + " --help' for more information.");
    return ExitCodes.FAILURE;
  }

  private static String reason(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().get(0);
      List<String> near = unmatched.getSuggestions();
      if (!word.startsWith("-")) {
        boolean operand = near.isEmpty() && e.getCommandLine().getSubcommands().isEmpty();
        return (operand ? "extra operand " : "unknown command ")
            + Quote.word(word)
            + Verb.didYouMean(near);
      }
      return "unrecognized option " + Quote.word(word) + Verb.didYouMean(near);
    }
    if (e instanceof MissingParameterException missing && !missing.getMissing().isEmpty()) {
      ArgSpec argument = missing.getMissing().get(0);
      return argument instanceof OptionSpec option
          ? "option '" + option.longestName() + "' requires an argument"
          : "missing operand " + argument.paramLabel();
    }
    String text = e.getMessage();
    return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
  }
}
