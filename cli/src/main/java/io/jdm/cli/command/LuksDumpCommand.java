package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.cli.volume.Headers;
import io.jdm.cli.volume.Luks1Dump;
import io.jdm.cli.volume.Luks2Dump;
import io.jdm.volume.Volume;
import io.jdm.volume.luks1.Luks1Volume;
import io.jdm.volume.luks2.Luks2Volume;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm luksDump}. */
@Command(
    name = "luksDump",
    description =
        "Print what the header of a LUKS volume says. The device is never changed, not even where"
            + " a copy of the header is damaged, which is said on standard error.")
public final class LuksDumpCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions options;

  @Option(
      names = {"--dump-json-metadata", "--json"},
      description = "Print the JSON area of a LUKS2 header, indented.")
  private boolean json;

  @Parameters(paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  public LuksDumpCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    try (BlockDevice header = Headers.open(session, options, device)) {
      Volume volume = Headers.read(header, options);
      if (volume instanceof Luks2Volume luks2) {
        if (luks2.problemOfOtherCopy() != null) {
          session
              .stdio()
              .err()
              .println(
                  "jdm: the "
                      + (luks2.isSecondary() ? "first" : "second")
                      + " copy of the header is bad, this is the other one: "
                      + luks2.problemOfOtherCopy().getMessage());
        }
        session.stdio().print(json ? Json.of(luks2.json()) : Luks2Dump.text(luks2));
      } else if (json) {
        throw new UsageException("Dump operation is not supported for this device type.", "");
      } else if (volume instanceof Luks1Volume luks1) {
        session.stdio().print(Luks1Dump.text(luks1, device));
      }
      return ExitCodes.SUCCESS;
    }
  }
}
