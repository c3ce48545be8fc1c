/** The {@code jdm} command. */
module io.jdm.cli {
  requires info.picocli;
  requires io.jdm.blockdev;
  requires io.jdm.crypt;
  requires jdk.management;
  requires jdk.unsupported;
  requires tools.jackson.jr.ob;

  exports io.jdm.cli;

  opens io.jdm.cli to
      info.picocli;
  opens io.jdm.cli.command to
      info.picocli;
}
