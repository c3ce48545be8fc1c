package io.jdm.cli.command;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Json;
import io.jdm.cli.session.Session;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.Engines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code jdm engines}: what can do the enciphering here, and what cannot and why. */
@Command(
    name = "engines",
    description = "List the cipher engines: version, or why one cannot be used, and ciphers.")
public final class EnginesCommand implements Callable<Integer> {
  private static final int SECTOR_SIZE = 512;

  private final Session session;

  @Option(
      names = "--json",
      description = "Print JSON: name, available, version, reason, aesInstructions, ciphers.")
  private boolean json;

  public EnginesCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException {
    StringBuilder text = new StringBuilder();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Engine engine : Engines.installed().all()) {
      Engine.Availability availability = engine.availability();
      List<String> ciphers = ciphers(engine);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("name", engine.name());
      row.put("available", availability.available());
      row.put("version", availability.version());
      row.put("reason", availability.reason());
      row.put("aesInstructions", Engines.hardwareAes());
      row.put("ciphers", ciphers);
      rows.add(row);
      text.append(
          String.format(
              "%-16s %s%n",
              engine.name(),
              availability.available()
                  ? availability.version()
                  : "not available: " + availability.reason()));
      ciphers.forEach(cipher -> text.append(String.format("    %s%n", cipher)));
    }
    text.append(
        String.format(
            "AES instructions of the CPU: %s%n", Engines.hardwareAes() ? "used" : "not used"));
    session.stdio().print(json ? Json.results(rows) : text.toString());
    return ExitCodes.SUCCESS;
  }

  /** One entry a cipher: its name and its modes, {@code aes: xts cbc ecb}. */
  private static List<String> ciphers(Engine engine) {
    Stream<String> pairs =
        Ciphers.streamCiphers().stream().map(stream -> stream + "," + Ciphers.names().get(0));
    return Stream.concat(Ciphers.names().stream(), pairs)
        .map(cipher -> cipher + ": " + String.join(" ", modes(engine, cipher)))
        .filter(entry -> !entry.endsWith(": "))
        .toList();
  }

  private static List<String> modes(Engine engine, String cipher) {
    return Ciphers.modes().stream()
        .filter(mode -> Ciphers.valid(cipher, mode) && supports(engine, cipher, mode))
        .toList();
  }

  private static boolean supports(Engine engine, String cipher, String mode) {
    for (int keySize = 0; keySize <= 2 * Ciphers.maxKeySize(cipher); keySize++) {
      if (Ciphers.validKeySize(cipher, mode, keySize)
          && engine.supports(new SectorAlgorithm(cipher, mode, keySize, SECTOR_SIZE))) {
        return true;
      }
    }
    return false;
  }
}
