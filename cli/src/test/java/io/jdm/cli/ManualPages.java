package io.jdm.cli;

import io.jdm.cli.command.VersionCommand;
import io.jdm.cli.session.GlobalOptions;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Stdio;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The manual pages of jdm and its verbs, in man(7), and the completion for bash, both from the
 * model that also gives the help texts. The build runs it; it is not shipped.
 */
public final class ManualPages {
  private ManualPages() {}

  /**
   * Writes them below a folder: {@code man/man1/jdm.1}, {@code man/man1/jdm-dd.1} and so on, and
   * {@code bash-completion/completions/jdm}.
   */
  public static void main(String[] args) throws IOException {
    Path share = Path.of(args[0]);
    Path man = Files.createDirectories(share.resolve("man/man1"));
    for (Map.Entry<String, String> page : pages().entrySet()) {
      Files.writeString(man.resolve(page.getKey() + ".1"), page.getValue());
    }
    Path completions = Files.createDirectories(share.resolve("bash-completion/completions"));
    Files.writeString(completions.resolve("jdm"), completion());
  }

  static CommandLine model() {
    Stdio nobody =
        new Stdio(
            InputStream.nullInputStream(),
            new ByteArrayOutputStream(),
            new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8));
    return Jdm.everything(new Session(nobody, GlobalOptions.ofEngine(null)));
  }

  /** The completion; zsh takes it through bashcompinit. */
  static String completion() {
    return AutoComplete.bash("jdm", model());
  }

  /** Page by name, {@code jdm-bench-dd} for the verb below a verb. */
  static Map<String, String> pages() throws IOException {
    Map<String, String> pages = new TreeMap<>();
    CommandLine root = model();
    add(pages, root, root.getCommandSpec().usageMessage().exitCodeList());
    return pages;
  }

  private static void add(
      Map<String, String> pages, CommandLine line, Map<String, String> exitCodes)
      throws IOException {
    pages.put(name(line), page(line, exitCodes));
    for (CommandLine below : line.getSubcommands().values()) {
      add(pages, below, exitCodes);
    }
  }

  private static String name(CommandLine line) {
    return line.getCommandSpec().qualifiedName("-");
  }

  private static String page(CommandLine line, Map<String, String> exitCodes) throws IOException {
    CommandSpec spec = line.getCommandSpec();
    UsageMessageSpec usage = spec.usageMessage();
    String description = String.format(String.join(" ", usage.description()));
    StringBuilder page = new StringBuilder();
    page.append(
        String.format(
            ".TH \"%s\" 1 \"\" \"jdm %s\" \"jdm manual\"\n",
            name(line).toUpperCase(Locale.ROOT), VersionCommand.jdm()));
    page.append(".SH NAME\n").append(text(name(line))).append(" \\- ");
    page.append(text(firstSentence(description))).append('\n');
    page.append(".SH SYNOPSIS\n.nf\n");
    page.append(
        text(new Help(spec, Help.defaultColorScheme(Ansi.OFF)).synopsis(0).stripTrailing()));
    page.append("\n.fi\n.SH DESCRIPTION\n").append(text(description)).append('\n');
    if (!spec.options().isEmpty()) {
      page.append(".SH OPTIONS\n");
      spec.options().stream().filter(o -> !o.hidden()).forEach(o -> item(page, names(o), o));
    }
    List<? extends ArgSpec> operands =
        spec.positionalParameters().stream().filter(p -> !p.hidden()).toList();
    if (!operands.isEmpty()) {
      page.append(".SH ARGUMENTS\n");
      operands.forEach(operand -> item(page, operand.paramLabel(), operand));
    }
    if (!line.getSubcommands().isEmpty()) {
      page.append(".SH VERBS\n");
      line.getSubcommands()
          .forEach(
              (name, below) ->
                  page.append(".TP\n.B ")
                      .append(text(name))
                      .append('\n')
                      .append(text(below.getCommandSpec().usageMessage().description()[0]))
                      .append('\n'));
    }
    if (usage.footer().length > 0) {
      String heading = String.format(usage.footerHeading()).strip().replace(":", "");
      page.append(".SH ").append(heading.isEmpty() ? "NOTES" : heading.toUpperCase(Locale.ROOT));
      page.append("\n.nf\n");
      for (String footer : usage.footer()) {
        page.append(text(String.format(footer))).append('\n');
      }
      page.append(".fi\n");
    }
    page.append(".SH EXIT STATUS\n");
    exitCodes.forEach(
        (code, meaning) ->
            page.append(".TP\n.B ")
                .append(text(code))
                .append('\n')
                .append(text(meaning))
                .append('\n'));
    return page.toString();
  }

  private static String firstSentence(String description) {
    int end = description.indexOf(". ");
    String sentence = end < 0 ? description : description.substring(0, end);
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  private static String names(OptionSpec option) {
    String names = String.join(", ", option.names());
    return option.arity().max() == 0 ? names : names + "=" + option.paramLabel();
  }

  private static void item(StringBuilder page, String names, ArgSpec argument) {
    page.append(".TP\n.B ").append(text(names)).append('\n');
    for (String line : argument.description()) {
      String value = argument.defaultValue() == null ? "" : argument.defaultValue();
      page.append(text(line.replace("${DEFAULT-VALUE}", value))).append('\n');
    }
  }

  /** Plain text, so that man(7) takes nothing in it for a request. */
  private static String text(String plain) {
    return plain.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1");
  }
}
