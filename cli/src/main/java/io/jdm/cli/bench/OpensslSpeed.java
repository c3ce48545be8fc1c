package io.jdm.cli.bench;

import io.jdm.crypt.cipher.SectorAlgorithm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code openssl speed}: what OpenSSL's cipher reaches on one thread of this machine. */
final class OpensslSpeed {
  private static final String ENGINE = "openssl speed";

  private static final Pattern NO_NAME = Pattern.compile("[^a-z0-9-]+");

  /** Machine-readable result: count, cipher, seconds of CPU time. */
  private static final Pattern RESULT = Pattern.compile("(?m)^\\+R:(\\d+):[^:]*:([0-9.]+)$");

  private final Program openssl;

  /** The names OpenSSL knows, in lower case. */
  private final Set<String> algorithms;

  private OpensslSpeed(Program openssl) throws IOException {
    this.openssl = openssl;
    String list = openssl.run(List.of("list", "-cipher-algorithms")).text();
    algorithms = Set.copyOf(Arrays.asList(NO_NAME.split(list.toLowerCase(Locale.ROOT))));
  }

  /** If the program is here. */
  static Optional<OpensslSpeed> find() throws IOException {
    Optional<Program> openssl = Program.find("openssl");
    return openssl.isPresent() ? Optional.of(new OpensslSpeed(openssl.get())) : Optional.empty();
  }

  /** The figure to put beside ours: one thread, and no IV between sectors. */
  static CipherCase peerOf(CipherCase ours, SectorAlgorithm algorithm) {
    boolean xts = algorithm.mode().equals("xts");
    String name =
        algorithm.cipher()
            + "-"
            + (xts ? ours.keyBits() / 2 : ours.keyBits())
            + "-"
            + algorithm.mode();
    int request = ours.requestBytes();
    return new CipherCase(ENGINE, name, ours.keyBits(), request, request, 1, ours.direction());
  }

  /** Whether OpenSSL has the algorithm. */
  boolean has(CipherCase peer) {
    return algorithms.contains(peer.cipher());
  }

  /** Its figure, taken in a second. */
  Rounds.Contestant<Sample> contestant(CipherCase peer) {
    return new Rounds.Contestant<>(peer.toString(), () -> speed(peer));
  }

  private Sample speed(CipherCase peer) throws IOException {
    List<String> options = new ArrayList<>(List.of("speed", "-mr", "-seconds", "1"));
    if (peer.direction() == Direction.DECRYPT) {
      options.add("-decrypt");
    }
    options.addAll(List.of("-bytes", String.valueOf(peer.requestBytes()), "-evp", peer.cipher()));
    String text = openssl.run(options).text();
    Matcher result = RESULT.matcher(text);
    if (!result.find()) {
      throw new IOException("cannot read what openssl speed prints: " + text.strip());
    }
    long count = Long.parseLong(result.group(1));
    long bytes = count * peer.requestBytes();
    double cpuSeconds = Double.parseDouble(result.group(2));
    return new Sample(bytes, count, TimeUnit.SECONDS.toNanos(1), bytes / cpuSeconds, 0);
  }
}
