package io.jdm.cli.command;

import io.jdm.cli.session.Session;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code jdm bench}: measuring. */
@Command(
    name = "bench",
    description = "Measure how fast ciphers, dd and devices are on this machine.",
    subcommands = {BenchCipherCommand.class, BenchDdCommand.class, BenchDeviceCommand.class})
public final class BenchCommand implements Callable<Integer> {
  private final Session session;

  @Spec private CommandSpec spec;

  public BenchCommand(Session session) {
    this.session = session;
  }

  Session session() {
    return session;
  }

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(), "what to measure is missing: cipher, dd or device");
  }
}
