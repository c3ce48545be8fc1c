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

/** {@code jdm luksRemoveKey}. */
@Command(
    name = "luksRemoveKey",
    description =
        "Destroy the keyslot that a passphrase opens. The last one is kept, unless --force.")
public final class LuksRemoveKeyCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Option(names = "--force", description = "Destroy also the last keyslot.")
  private boolean force;

  @Parameters(index = "0", paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEYFILE",
      description = "The passphrase is all bytes of this file.")
  private Path keyFile;

  public LuksRemoveKeyCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (HeaderEditor editor = new HeaderEditor(session, options, device);
        KeySource key =
            keyFile != null
                ? KeySource.keyFile(keyFile, 0, KeySource.WHOLE)
                : options.key(session.stdio(), "Enter passphrase to be deleted: ");
        VolumeKey found = editor.volume().verify(key, options.unlockOptions())) {
      editor.killUnlessLast(HeaderEditor.keyslotOf(found), force, session.stdio());
      return ExitCodes.SUCCESS;
    }
  }
}
