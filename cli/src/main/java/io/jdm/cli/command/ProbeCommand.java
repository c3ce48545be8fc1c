package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.volume.Signature;
import io.jdm.volume.Volumes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm probe}. */
@Command(
    name = "probe",
    description = {
      "List everything that a device seems to hold: volumes, file systems, partition tables, with"
          + " the byte where each was seen. The device is never changed.",
      "valid: a checksum or a whole header is right. magic: only the magic bytes are there."
          + " remnant: a second copy, or what is left of one.",
      "Exits with 2 if there is nothing."
    })
public final class ProbeCommand implements Callable<Integer> {
  /** As blkid has it. */
  private static final int NOTHING = 2;

  private final Session session;

  @Option(
      names = "--json",
      description = "Print JSON: type, version, offset, confidence, label, uuid.")
  private boolean json;

  @Parameters(paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  public ProbeCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException {
    List<Signature> found;
    try (BlockDevice opened = session.devices().openDeviceOrTable(device, false)) {
      found = Volumes.probe(opened);
    }
    StringBuilder text = new StringBuilder();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Signature signature : found) {
      String confidence = signature.confidence().name().toLowerCase(Locale.ROOT);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("type", signature.type());
      row.put("version", signature.version());
      row.put("offset", signature.offset());
      row.put("confidence", confidence);
      row.put("label", signature.label());
      row.put("uuid", signature.uuid());
      rows.add(row);
      text.append(
          String.format(
              "%-12s %-2s at %-8d %-8s %s %s%n",
              signature.type(),
              signature.version(),
              signature.offset(),
              confidence,
              signature.uuid(),
              signature.label()));
    }
    session.stdio().print(json ? Json.results(rows) : text.toString());
    return found.isEmpty() ? NOTHING : ExitCodes.SUCCESS;
  }
}
