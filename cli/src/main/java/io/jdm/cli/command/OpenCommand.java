package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.cli.volume.Headers;
import io.jdm.volume.KeySource;
import io.jdm.volume.Volume;
import io.jdm.volume.VolumeKey;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm open --test-passphrase}. */
@Command(
    name = "open",
    description = {
      "Try a passphrase on the keyslots of a LUKS volume. The device is never changed.",
      "The data of a volume is the device volume:DEVICE, in every other command."
    })
public final class OpenCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Option(
      names = "--test-passphrase",
      required = true,
      description = "Only try; exit with 0 if a keyslot opens, with 2 if none does.")
  @SuppressWarnings("UnusedVariable") // Required, so that it is always true.
  private boolean testPassphrase;

  @Option(
      names = {"-v", "--verbose"},
      description = "Say which keyslot opened.")
  private boolean verbose;

  @Parameters(paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  public OpenCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (BlockDevice header = Headers.open(session, options, device)) {
      Volume volume = Headers.read(header, options);
      try (KeySource key = options.key(session.stdio(), "Enter passphrase for " + device + ": ");
          VolumeKey found = volume.verify(key, options.unlockOptions())) {
        if (verbose) {
          session
              .stdio()
              .print(
                  (found.keyslot() < 0
                          ? "Volume key verified."
                          : "Key slot " + found.keyslot() + " unlocked.")
                      + System.lineSeparator()
                      + "Command successful."
                      + System.lineSeparator());
        }
        return ExitCodes.SUCCESS;
      }
    }
  }
}
