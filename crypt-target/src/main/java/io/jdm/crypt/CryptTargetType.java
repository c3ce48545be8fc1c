package io.jdm.crypt;

import io.jdm.crypt.cipher.CipherSpec;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.KeyText;
import io.jdm.crypt.key.Keyring;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.BackingDevice;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import io.jdm.mapper.TargetType;
import io.jdm.mapper.Version;

/**
 * The target type {@code crypt}: {@code <cipher> <key> <iv_offset> <device> <offset> [<#opt_params>
 * <opt_params>...]} (source: spec/dm-crypt.md section 1). Numbers are sectors of 512 bytes.
 *
 * <p>Arguments are checked in the kernel's order, so that of several errors the same one is told.
 * Authenticated encryption and random IVs need per-sector metadata, which no device here has; they
 * are refused with the kernel's words for such a device.
 */
public final class CryptTargetType implements TargetType {
  /** Of Linux 6.1, whose texts these are; newer kernels' optional words are understood too. */
  private static final Version VERSION = new Version(1, 24, 0);

  private static final String NOT_ENOUGH = "Not enough arguments";
  private static final String NUMBER = "expected a decimal number of 512-byte sectors";
  private static final int ARGUMENTS = 5;

  private final Engines engines;
  private final String engineName;
  private final Keyring keyring;

  /** Engines as installed, chosen as {@code jdm.engine} says; keys of the process's keyring. */
  public CryptTargetType() {
    this(Engines.installed(), null, Keyring.process());
  }

  /**
   * @param engines to choose from
   * @param engineName as {@link Engines#select} takes it; null for the default
   * @param keyring that {@code :SIZE:TYPE:DESCRIPTION} keys come from
   */
  public CryptTargetType(Engines engines, String engineName, Keyring keyring) {
    this.engines = engines;
    this.engineName = engineName;
    this.keyring = keyring;
  }

  @Override
  public String name() {
    return "crypt";
  }

  @Override
  public Version version() {
    return VERSION;
  }

  @Override
  public String usage() {
    return "<cipher> <key> <iv_offset> <dev> <offset> [<#opt_params> <opt_params>]";
  }

  @Override
  public Target create(TargetContext context, Arguments arguments) throws TargetException {
    if (arguments.count() < ARGUMENTS) {
      throw arguments.error(NOT_ENOUGH, "there are " + arguments.count() + ", expected " + usage());
    }
    String cipher = arguments.next("cipher", NOT_ENOUGH);
    try (KeyText keyText = KeyText.take(arguments, NOT_ENOUGH)) {
      String ivOffset = arguments.next("iv_offset", NOT_ENOUGH);
      String device = arguments.next("device", NOT_ENOUGH);
      String offset = arguments.next("offset", NOT_ENOUGH);
      CryptOptions options = CryptOptions.parse(arguments, context.length());
      if (options.isAead()) {
        throw aeadRefusal(cipher, arguments);
      }
      CipherSpec spec = CipherSpec.parse(cipher);
      CryptConfig config = CryptConfig.of(spec, options, keyText.size(), engines, engineName);
      ActiveKey key = new ActiveKey(config, keyText.resolve(keyring));
      boolean done = false;
      try {
        long ivSectors = ivOffset(ivOffset, options, arguments);
        context.device(device);
        long sectors = Arguments.parseUnsigned(offset);
        if (sectors < 0) {
          throw arguments.error(
              "Invalid device sector",
              "offset (argument 5) is " + Arguments.show(offset) + ", " + NUMBER);
        }
        BackingDevice backing = context.device(device, sectors);
        Target target =
            new CryptTarget(
                context.deviceName(),
                config,
                ivSectors,
                backing,
                sectors,
                keyring,
                keyText.reference(),
                key);
        done = true;
        return target;
      } finally {
        if (!done) {
          key.close();
        }
      }
    }
  }

  /** Any 64 bits, as a number without sign: the IV's counter wraps around. */
  private static long ivOffset(String word, CryptOptions options, Arguments arguments)
      throws TargetException {
    String reason = "Invalid iv_offset sector";
    long value;
    try {
      if (!word.chars().allMatch(c -> c >= '0' && c <= '9')) {
        throw new NumberFormatException(word);
      }
      value = Long.parseUnsignedLong(word);
    } catch (NumberFormatException e) {
      throw arguments.error(
          reason, "iv_offset (argument 3) is " + Arguments.show(word) + ", " + NUMBER);
    }
    if ((value & (options.sectorsPerBlock() - 1)) != 0) {
      throw arguments.error(
          reason,
          "iv_offset (argument 3) is "
              + word
              + ", expected a multiple of "
              + options.sectorsPerBlock()
              + " with sector_size "
              + options.sectorSize());
    }
    return value;
  }

  private static TargetException aeadRefusal(String cipher, Arguments arguments) {
    if (!cipher.startsWith("capi:")) {
      return arguments.error(
          "Bad cipher specification",
          "authenticated encryption wants capi:, not " + Arguments.show(cipher));
    }
    if (cipher.startsWith("capi:authenc(") && cipher.indexOf(',') < 0) {
      return arguments.error("Invalid AEAD cipher spec", Arguments.show(cipher) + " names no MAC");
    }
    if (cipher.endsWith("-lmk")) {
      return arguments.error("AEAD transforms not supported for LMK", Arguments.show(cipher));
    }
    return arguments.error(
        "Integrity profile not supported.",
        "authenticated encryption keeps its tags in per-sector metadata, which the device below"
            + " does not have");
  }
}
