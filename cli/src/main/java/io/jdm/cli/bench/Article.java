package io.jdm.cli.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an article of 2011 measured with {@code dd bs=2k count=1048572} on a Motorola Xoom class
 * tablet (Nvidia Tegra 2, Android 3.0, Linux 2.6.36, ext4), before and after it was encrypted with
 * aes-cbc-essiv:sha256 and a 128-bit key. Its dd was busybox's, whose MB is 1048576 bytes. Source:
 * spec/experiments.md section E1.
 */
final class Article {
  static final String DEVICE = "Tegra 2 tablet, Android 3.0 (2011)";
  private static final long BYTES = 1_048_572L * 2048;

  /** The four runs. */
  private static final List<Run> RUNS =
      List.of(
          new Run(Side.UNENCRYPTED, Transfer.WRITE, 255.912521, 257.25, 0.73, 24.55),
          new Run(Side.UNENCRYPTED, Transfer.READ, 101.749864, 101.79, 1.15, 17.62),
          new Run(Side.ENCRYPTED, Transfer.WRITE, 260.219584, 266.94, 0.64, 24.12),
          new Run(Side.ENCRYPTED, Transfer.READ, 124.291204, 124.31, 0.47, 7.74));

  private Article() {}

  /**
   * One run.
   *
   * @param seconds as dd printed them, from which the article's MB/s come
   * @param real seconds as the shell's {@code time} printed them, like the next two
   */
  record Run(
      Side side, Transfer transfer, double seconds, double real, double user, double system) {
    double bytesPerSecond() {
      return BYTES / seconds;
    }
  }

  /** The article's figure for one of our runs; none for GNU dd. */
  static Run run(Side side, Transfer transfer) {
    return RUNS.stream()
        .filter(run -> run.side == side && run.transfer == transfer)
        .findAny()
        .orElseThrow();
  }

  /** Encrypted by unencrypted rate. */
  static double ratio(Transfer transfer) {
    return run(Side.ENCRYPTED, transfer).bytesPerSecond()
        / run(Side.UNENCRYPTED, transfer).bytesPerSecond();
  }

  /** For programs. */
  static Map<String, Object> json() {
    List<Map<String, Object>> runs = new ArrayList<>();
    for (Run run : RUNS) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("side", run.side.toString());
      object.put("operation", run.transfer.toString());
      object.put("bytesPerSecond", run.bytesPerSecond());
      object.put("realSeconds", run.real);
      object.put("userSeconds", run.user);
      object.put("systemSeconds", run.system);
      runs.add(object);
    }
    Map<String, Object> article = new LinkedHashMap<>();
    article.put("device", DEVICE);
    article.put("results", runs);
    article.put("ratios", Map.of("write", ratio(Transfer.WRITE), "read", ratio(Transfer.READ)));
    return article;
  }
}
