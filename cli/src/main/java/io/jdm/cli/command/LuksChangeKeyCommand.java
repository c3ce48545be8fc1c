package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.volume.KeySource;
import io.jdm.volume.VolumeKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm luksChangeKey}. */
@Command(
    name = "luksChangeKey",
    description = {
      "Replace a passphrase of a LUKS volume. No copy of the old header is kept, which would let"
          + " the old passphrase in.",
      "A free keyslot is needed meanwhile, so that one of the two opens the volume at any time."
          + " With luks1 the new passphrase stays in that slot."
    })
public final class LuksChangeKeyCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;
  @Mixin private PbkdfOptions pbkdf;

  @Option(
      names = {"-v", "--verbose"},
      description = "Say which keyslot was changed.")
  private boolean verbose;

  @Parameters(index = "0", paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEYFILE",
      description = "The new passphrase is all bytes of this file.")
  private Path newKeyFile;

  public LuksChangeKeyCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (HeaderEditor editor = new HeaderEditor(session, options, device);
        KeySource key = options.key(session.stdio(), "Enter passphrase to be changed: ");
        VolumeKey found = editor.volume().verify(key, options.unlockOptions())) {
      int old = HeaderEditor.keyslotOf(found);
      try (KeySource changed = NewKey.of(session.stdio(), newKeyFile, "Enter new passphrase: ")) {
        int keyslot = editor.change(old, found.key(), changed.secret(), pbkdf);
        if (verbose) {
          session.stdio().print("Key slot " + keyslot + " created." + System.lineSeparator());
        }
      }
      return ExitCodes.SUCCESS;
    }
  }
}
