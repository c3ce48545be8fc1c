package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.volume.KeySource;
import io.jdm.volume.UnlockOptions;
import io.jdm.volume.VolumeKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm luksAddKey}. */
@Command(
    name = "luksAddKey",
    description = {
      "Let one more passphrase open a LUKS volume; one that opens it, or the volume key, is needed.",
      "--key-slot is that of the new passphrase."
    })
public final class LuksAddKeyCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;
  @Mixin private PbkdfOptions pbkdf;

  @Option(
      names = {"-v", "--verbose"},
      description = "Say which keyslot was made.")
  private boolean verbose;

  @Parameters(index = "0", paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEYFILE",
      description = "The new passphrase is all bytes of this file.")
  private Path newKeyFile;

  public LuksAddKeyCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (HeaderEditor editor = new HeaderEditor(session, options, device);
        KeySource key = options.key(session.stdio(), "Enter any existing passphrase: ");
        VolumeKey found =
            editor.volume().verify(key, options.unlockOptions().withKeyslot(UnlockOptions.ANY));
        KeySource added =
            NewKey.of(session.stdio(), newKeyFile, "Enter new passphrase for key slot: ")) {
      int keyslot = editor.add(found.key(), added.secret(), pbkdf, options.keyslot());
      if (verbose) {
        session.stdio().print("Key slot " + keyslot + " created." + System.lineSeparator());
      }
      return ExitCodes.SUCCESS;
    }
  }
}
