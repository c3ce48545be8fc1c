package io.jdm.cli.session;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The options that stand between {@code jdm} and the verb, for every verb. */
public final class GlobalOptions {
  @ArgGroup(exclusive = true, multiplicity = "0..*")
  private List<MapSource> maps = new ArrayList<>();

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "The cipher engine: a name that 'jdm engines' lists, or auto for the fastest "
              + "(default: $JDM_ENGINE, else auto).")
  private String engine;

  /** No devices, and this engine; null for the default. */
  public static GlobalOptions ofEngine(String engine) {
    GlobalOptions options = new GlobalOptions();
    options.engine = engine;
    return options;
  }

  /** The devices to make, in the order given. */
  List<MapSource> maps() {
    return maps;
  }

  /** The engine asked for, or null. */
  public String engine() {
    return engine;
  }
}
