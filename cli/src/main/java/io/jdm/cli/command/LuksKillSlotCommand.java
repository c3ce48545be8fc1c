package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.volume.KeySource;
import io.jdm.volume.VolumeKey;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm luksKillSlot}. */
@Command(
    name = "luksKillSlot",
    description = {
      "Destroy a keyslot by its number. A passphrase of another one is asked for, as a proof that"
          + " the volume can still be opened; -q does without.",
      "The last one is kept, unless --force."
    })
public final class LuksKillSlotCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Option(
      names = {"-q", "--batch-mode"},
      description = "Ask for no passphrase.")
  private boolean batch;

  @Option(names = "--force", description = "Destroy also the last keyslot.")
  private boolean force;

  @Parameters(index = "0", paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  @Parameters(index = "1", paramLabel = "N", description = "The keyslot.")
  private int keyslot;

  public LuksKillSlotCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (HeaderEditor editor = new HeaderEditor(session, options, device)) {
      editor.requireKeyslot(keyslot);
      if (!batch) {
        prove(editor);
      }
      editor.killUnlessLast(keyslot, force, session.stdio());
      return ExitCodes.SUCCESS;
    }
  }

  private void prove(HeaderEditor editor) throws IOException, UsageException {
    try (KeySource key = options.key(session.stdio(), "Enter any remaining passphrase: ");
        VolumeKey found = editor.volume().verify(key, options.unlockOptions())) {
      if (found.keyslot() == keyslot && !force) {
        throw new UsageException(
            "this passphrase opens the keyslot that would be destroyed",
            "Give another one, or --force.");
      }
    }
  }
}
