package io.jdm.cli.bench;

import io.jdm.cli.session.UsageException;
import io.jdm.crypt.cipher.CipherSpec;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import java.io.IOException;
import java.util.List;

/**
 * A cipher as cryptsetup's commands take it, where the IV mode may be left out: {@code aes-xts} is
 * {@code aes-xts-plain64}.
 *
 * @param text as the user wrote it
 * @param spec the same in the words of a table
 */
record CipherWord(String text, CipherSpec spec) {
  /** Bytes of the AES key that jdm measures with unless told otherwise. */
  private static final int KEY_BYTES = 32;

  private static final List<Integer> SECTOR_SIZES = List.of(512, 1024, 2048, 4096);

  /**
   * Takes a cipher apart.
   *
   * @throws io.jdm.mapper.TargetException for an unknown one, naming those that are known
   */
  static CipherWord parse(String text) throws IOException {
    boolean withoutIv = text.split("-", -1).length == 2 && !text.endsWith("-ecb");
    return new CipherWord(text, CipherSpec.parse(withoutIv ? text + "-plain64" : text));
  }

  /** Bytes of a key like that of AES-256; of the cipher's largest where it has none such. */
  int defaultKeyBytes() {
    String mode = spec.mode();
    int bytes = mode.equals("xts") ? 2 * KEY_BYTES : KEY_BYTES;
    return takesKey(bytes) ? bytes : Ciphers.maxKeySize(spec.cipher());
  }

  /** Whether a key of so many bytes fits. */
  boolean takesKey(int bytes) {
    return Ciphers.validKeySize(spec.cipher(), spec.mode(), bytes);
  }

  /**
   * What an engine is asked for.
   *
   * @throws UsageException for a sector size that the kernel does not have
   */
  SectorAlgorithm algorithm(int keyBytes, int sectorSize) throws UsageException {
    if (!SECTOR_SIZES.contains(sectorSize)) {
      throw new UsageException(
          "sector size " + sectorSize + " is not supported, only " + SECTOR_SIZES, "");
    }
    return new SectorAlgorithm(spec.cipher(), spec.mode(), keyBytes, sectorSize);
  }

  /** The sizes of keys that fit, for messages. */
  String keySizes() {
    return Ciphers.keySizes(spec.cipher(), spec.mode());
  }
}
