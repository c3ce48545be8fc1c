package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code jdm version}, and what {@code jdm --version} prints. */
@Command(name = "version", description = "Show the version of jdm and of the Java that runs it.")
public final class VersionCommand implements Callable<Integer> {
  private final Session session;

  public VersionCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException {
    session
        .stdio()
        .print(
            String.format(
                "jdm %s%nJava %s (%s), %s %s%n",
                jdm(),
                System.getProperty("java.version"),
                System.getProperty("java.vendor"),
                System.getProperty("os.name"),
                System.getProperty("os.arch")));
    return ExitCodes.SUCCESS;
  }

  /** The version of this jdm, as Maven built it. */
  public static String jdm() throws IOException {
    Properties build = new Properties();
    try (InputStream in =
        VersionCommand.class.getResourceAsStream("/io/jdm/cli/build.properties")) {
      build.load(in);
    }
    return build.getProperty("version");
  }
}
