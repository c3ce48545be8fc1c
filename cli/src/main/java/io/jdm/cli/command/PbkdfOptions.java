package io.jdm.cli.command;

import io.jdm.cli.session.UsageException;
import io.jdm.crypt.kdf.Argon2;
import io.jdm.crypt.kdf.Digests;
import io.jdm.volume.KeyslotCost;
import java.io.IOException;
import picocli.CommandLine.Option;

/** What unlocking a new keyslot shall cost, with cryptsetup's options. */
final class PbkdfOptions {
  private static final int MAX_MEMORY_KIB = 4 << 20;
  private static final int MAX_LANES = 4;
  private static final int DEFAULT_MEMORY_KIB = 1 << 20;
  private static final int MIN_MEMORY_KIB = 32;

  @Option(
      names = "--pbkdf",
      paramLabel = "TYPE",
      description = "pbkdf2, argon2i or argon2id (default: argon2id; luks1 has pbkdf2 only).")
  private String type;

  @Option(
      names = "--hash",
      paramLabel = "NAME",
      defaultValue = "sha256",
      description = "The hash of pbkdf2 and of the digests (default: ${DEFAULT-VALUE}).")
  private String hash;

  @Option(
      names = {"-i", "--iter-time"},
      paramLabel = "MS",
      defaultValue = "2000",
      converter = Count.class,
      description = "How long unlocking shall take here (default: ${DEFAULT-VALUE}).")
  private int milliseconds;

  @Option(
      names = "--pbkdf-memory",
      paramLabel = "KIB",
      description = "Memory of Argon2 at most (default: 1048576, or half of what is available).")
  private Integer memoryKib;

  @Option(
      names = "--pbkdf-parallel",
      paramLabel = "N",
      description = "Threads of Argon2, up to 4 (default: the processors, up to 4).")
  private Integer lanes;

  @Option(
      names = "--pbkdf-force-iterations",
      paramLabel = "N",
      description = "Iterations or passes; nothing is measured.")
  private Integer iterations;

  /** Of pbkdf2 and of the digests. */
  String hash() {
    return hash;
  }

  /**
   * The cost, measured unless the options tell it.
   *
   * @param luks1 whether only pbkdf2 can be
   * @param headerHash of a LUKS1 header that there is already; null for {@code --hash}
   * @param keySize bytes that are derived
   */
  KeyslotCost cost(boolean luks1, String headerHash, int keySize)
      throws IOException, UsageException {
    String wanted = type != null ? type : luks1 ? "pbkdf2" : "argon2id";
    String pbkdf2Hash = headerHash != null ? headerHash : hash;
    if (!Digests.known(pbkdf2Hash)) {
      throw new UsageException("Requested hash " + pbkdf2Hash + " is not supported.", "");
    }
    return switch (wanted) {
      case "pbkdf2" -> pbkdf2(pbkdf2Hash, keySize);
      case "argon2i", "argon2id" -> {
        if (luks1) {
          throw new UsageException("Requested PBKDF is not supported for LUKS1.", "");
        }
        Argon2.Cost cost = argon2(wanted);
        yield wanted.equals("argon2i") ? KeyslotCost.argon2i(cost) : KeyslotCost.argon2id(cost);
      }
      default ->
          throw new UsageException(
              "Password-based key derivation function (PBKDF) can be only pbkdf2 or"
                  + " argon2i/argon2id.",
              "");
    };
  }

  private KeyslotCost pbkdf2(String name, int keySize) throws IOException, UsageException {
    if (iterations == null) {
      return KdfMeasure.pbkdf2(name, keySize, milliseconds);
    }
    require(iterations, KeyslotCost.MIN_ITERATIONS, "pbkdf2");
    return KeyslotCost.pbkdf2(name, iterations);
  }

  private Argon2.Cost argon2(String name) throws IOException, UsageException {
    int threads =
        lanes != null ? lanes : Math.min(MAX_LANES, Runtime.getRuntime().availableProcessors());
    long half = Argon2.availableMib() * 512;
    int memory =
        memoryKib != null
            ? memoryKib
            : (int) Math.max(MIN_MEMORY_KIB, Math.min(DEFAULT_MEMORY_KIB, half));
    if (threads < 1
        || threads > MAX_LANES
        || memory < Math.max(MIN_MEMORY_KIB, 8 * threads)
        || memory > MAX_MEMORY_KIB) {
      throw new UsageException(
          "Not compatible PBKDF options.",
          "--pbkdf-parallel is 1 to 4, --pbkdf-memory at least 32 and 8 for each thread.");
    }
    if (iterations == null) {
      return KdfMeasure.argon2(memory, threads, milliseconds);
    }
    require(iterations, KeyslotCost.MIN_PASSES, name);
    return new Argon2.Cost(iterations, memory, threads);
  }

  private static void require(int given, int minimum, String name) throws UsageException {
    if (given < minimum) {
      throw new UsageException(
          "Forced iteration count is too low for " + name + " (minimum is " + minimum + ").", "");
    }
  }
}
