package io.jdm.cli.command;

import io.jdm.cli.mount.Mount;
import io.jdm.cli.session.Devices;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm mount}: the file system on a device, through programs that are there already. */
@Command(
    name = "mount",
    description = "Mount the file system on a device.",
    footerHeading = "%n",
    footer = {
      "DEVICE is the name of a --map device, any other device, or a whole table. It is served by a",
      "jdm in the background until 'jdm umount DIR'; nbdfuse shows it as a file. Root then mounts",
      "the file with mount(8) through a loop device, whatever file systems the kernel knows; others,",
      "and root with --fuse, use fuse2fs, for ext2, ext3 and ext4.",
      "Keys reach the background process through a pipe, not its command line; a key @fd:N does not."
    })
public final class MountCommand implements Callable<Integer> {
  private final Session session;

  @Parameters(index = "0", paramLabel = "DEVICE", description = "What to mount.")
  private String device;

  @Parameters(index = "1", paramLabel = "DIR", description = "Where; an existing folder.")
  private Path point;

  @Option(
      names = {"-r", "--readonly"},
      description = "Change nothing.")
  private boolean readOnly;

  @Option(names = "--fuse", description = "Use fuse2fs even as root.")
  private boolean fuse;

  public MountCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException {
    Mount.Options options =
        new Mount.Options(readOnly, fuse || !"root".equals(System.getProperty("user.name")));
    List<String> globals = new ArrayList<>();
    if (session.options().engine() != null) {
      globals.addAll(List.of("--engine", session.options().engine()));
    }
    Devices.Recipe recipe = Devices.recipe(session.options(), device, readOnly);
    try {
      new Mount(point).mount(recipe.concise(), globals, recipe.device(), options);
    } finally {
      Arrays.fill(recipe.concise(), (byte) 0);
    }
    return ExitCodes.SUCCESS;
  }
}
