package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.cli.volume.HeaderBackup;
import io.jdm.cli.volume.Headers;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm luksHeaderBackup}. */
@Command(
    name = "luksHeaderBackup",
    description = {
      "Copy the header of a LUKS volume and its keyslots to a new file.",
      "The copy opens the volume with the passphrases of today, also after they were revoked."
    })
public final class LuksHeaderBackupCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Option(
      names = "--header-backup-file",
      paramLabel = "FILE",
      required = true,
      description = "The new file.")
  private Path file;

  @Parameters(paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  public LuksHeaderBackupCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (BlockDevice header = Headers.open(session, options, device)) {
      HeaderBackup.write(header, Headers.read(header, options), file);
      return ExitCodes.SUCCESS;
    } catch (FileAlreadyExistsException e) {
      throw new UsageException("Requested header backup file " + file + " already exists.", "");
    }
  }
}
