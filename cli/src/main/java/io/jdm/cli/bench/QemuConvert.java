package io.jdm.cli.bench;

import io.jdm.crypt.cipher.CipherSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code qemu-img convert} of a LUKS image with the same cipher to QEMU's null driver: how fast the
 * other user-space implementation decrypts a file of the same size from beginning to end. Its time
 * includes its start and the unlocking, both a few hundredths of a second.
 */
final class QemuConvert implements AutoCloseable {
  private static final Set<String> CIPHERS = Set.of("aes", "serpent", "twofish");
  private static final Set<String> MODES = Set.of("xts", "cbc", "ctr");
  private static final Set<String> IV_MODES = Set.of("plain", "plain64");
  private static final Set<Integer> BITS = Set.of(128, 192, 256);
  private static final int SECTOR_SIZE = 512;
  private static final int PASSPHRASE_BYTES = 16;

  /** Milliseconds of key derivation, so short that only the cipher counts. */
  private static final int ITERATION_TIME = 10;

  private final Program qemu;
  private final TemporaryFile passphrase;
  private final TemporaryFile image;
  private final long size;

  private QemuConvert(Program qemu, TemporaryFile passphrase, TemporaryFile image, long size) {
    this.qemu = qemu;
    this.passphrase = passphrase;
    this.image = image;
    this.size = size;
  }

  /**
   * Makes the image, if the program is here and has the cipher.
   *
   * @param raw its plaintext, of so many bytes
   */
  static Optional<QemuConvert> create(
      CipherWord cipher, int keyBytes, int sectorSize, Path raw, long size) throws IOException {
    Optional<Program> qemu = Program.find("qemu-img");
    CipherSpec spec = cipher.spec();
    int bits = spec.mode().equals("xts") ? 4 * keyBytes : 8 * keyBytes;
    boolean known =
        CIPHERS.contains(spec.cipher())
            && MODES.contains(spec.mode())
            && IV_MODES.contains(spec.ivMode())
            && spec.essivHash() == null
            && BITS.contains(bits)
            && sectorSize == SECTOR_SIZE;
    if (qemu.isEmpty() || !known) {
      return Optional.empty();
    }
    Path directory = raw.toAbsolutePath().getParent();
    TemporaryFile image = TemporaryFile.create(directory, size);
    TemporaryFile passphrase = TemporaryFile.create(directory, 0);
    QemuConvert convert = new QemuConvert(qemu.get(), passphrase, image, size);
    try {
      convert.fill(spec, bits, raw);
      return Optional.of(convert);
    } catch (IOException | RuntimeException e) {
      convert.close();
      throw e;
    }
  }

  private void fill(CipherSpec spec, int bits, Path raw) throws IOException {
    byte[] secret = Tables.randomHex(PASSPHRASE_BYTES);
    Files.write(passphrase.path(), secret);
    Arrays.fill(secret, (byte) 0);
    run(
        "create",
        List.of(
            "-q",
            "-f",
            "luks",
            "-o",
            String.join(
                ",",
                "key-secret=s0",
                "cipher-alg=" + spec.cipher() + "-" + bits,
                "cipher-mode=" + spec.mode(),
                "ivgen-alg=" + spec.ivMode(),
                "hash-alg=sha256",
                "iter-time=" + ITERATION_TIME),
            image.path().toString(),
            String.valueOf(size)));
    run(
        "convert",
        List.of("-n", "-f", "raw", raw.toString(), "--target-image-opts", luks(image.path())));
  }

  private static String luks(Path path) {
    return "driver=luks,key-secret=s0,file.filename=" + path.toString().replace(",", ",,");
  }

  /** Decrypts the image once. */
  Sample measure() throws IOException {
    Program.Result result =
        run(
            "convert",
            List.of(
                "-n",
                "--image-opts",
                luks(image.path()),
                "--target-image-opts",
                "driver=null-co,size=" + size));
    double cpuSeconds = result.cpu().user() + result.cpu().system();
    return new Sample(size, 0, result.nanos(), size / cpuSeconds, 0);
  }

  private Program.Result run(String verb, List<String> arguments) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(verb);
    words.add("--object");
    words.add("secret,id=s0,file=" + passphrase.path().toString().replace(",", ",,"));
    words.addAll(arguments);
    Program.Result result = qemu.run(words);
    if (result.exitCode() != 0) {
      throw new IOException(qemu.path() + " " + verb + " failed: " + result.text().strip());
    }
    return result;
  }

  @Override
  public void close() {
    image.close();
    passphrase.close();
  }
}
