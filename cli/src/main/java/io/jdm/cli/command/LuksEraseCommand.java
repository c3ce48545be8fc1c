package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Passphrases;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm luksErase}. */
@Command(
    name = "luksErase",
    description =
        "Destroy all keyslots of a LUKS volume, after which nobody opens it who has no copy of its"
            + " header. No copy is made.")
public final class LuksEraseCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Option(
      names = {"-q", "--batch-mode"},
      description = "Do not ask whether it is meant.")
  private boolean batch;

  @Parameters(paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  public LuksEraseCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (HeaderEditor editor = new HeaderEditor(session, options, device)) {
      if (!batch) {
        Passphrases.confirm(
            session.stdio(),
            "This will erase all keyslots "
                + editor.keyslots()
                + " on device "
                + device
                + ". Device contents will be inaccessible afterwards.");
      }
      editor.erase();
      return ExitCodes.SUCCESS;
    }
  }
}
