package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Passphrases;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.cli.volume.HeaderBackup;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.KeySource;
import io.jdm.volume.KeyslotCost;
import io.jdm.volume.Volume;
import io.jdm.volume.VolumeException;
import io.jdm.volume.Volumes;
import io.jdm.volume.luks1.Luks1Editor;
import io.jdm.volume.luks1.Luks1Spec;
import io.jdm.volume.luks2.Luks2Editor;
import io.jdm.volume.luks2.Luks2Spec;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code jdm luksFormat}. */
@Command(
    name = "luksFormat",
    description = {
      "Make a LUKS volume of a device, with one passphrase. What the device held is lost.",
      "A LUKS header that is overwritten is saved beside the image first, as DEVICE.header-TIME,"
          + " unless --no-backup says otherwise."
    })
public final class LuksFormatCommand implements Callable<Integer> {
  private static final String LUKS1 = "luks1";

  private final Session session;

  @Mixin private VolumeOptions options;
  @Mixin private PbkdfOptions pbkdf;

  @Option(
      names = {"-c", "--cipher"},
      paramLabel = "NAME",
      defaultValue = Luks2Spec.DEFAULT_CIPHER,
      description = "As in a crypt table (default: ${DEFAULT-VALUE}).")
  private String cipher;

  @Option(
      names = {"-s", "--key-size"},
      paramLabel = "BITS",
      defaultValue = "512",
      converter = Count.class,
      description = "Bits of the volume key (default: ${DEFAULT-VALUE}).")
  private int keyBits;

  @Option(
      names = "--sector-size",
      paramLabel = "BYTES",
      defaultValue = "4096",
      converter = Count.class,
      description = "512 to 4096, of luks2 (default: ${DEFAULT-VALUE}).")
  private int sectorSize;

  @Option(
      names = "--uuid",
      paramLabel = "UUID",
      description = "The volume's UUID (default: a random one).")
  private UUID uuid;

  @Option(
      names = "--label",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "A name, of luks2.")
  private String label;

  @Option(
      names = "--subsystem",
      paramLabel = "TEXT",
      defaultValue = "",
      description = "Another name, of luks2.")
  private String subsystem;

  @Option(
      names = {"-q", "--batch-mode"},
      description = "Do not ask whether it is meant.")
  private boolean batch;

  @Option(names = "--no-backup", description = "Do not save a header that is overwritten.")
  private boolean noBackup;

  @Parameters(index = "0", paramLabel = "DEVICE", description = "An image, or any device.")
  private String device;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "KEYFILE",
      description = "The passphrase is all bytes of this file.")
  private Path keyFile;

  public LuksFormatCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws IOException, UsageException {
    if (keyBits % 8 != 0) {
      throw new UsageException("Key size must be a multiple of 8 bits", "");
    }
    boolean luks1 = LUKS1.equals(options.type());
    String target = options.header(device);
    try (BlockDevice header = session.devices().openDeviceOrTable(target, true)) {
      warn(header, target);
      KeyslotCost cost = pbkdf.cost(luks1, null, keyBits / 8);
      try (KeySource passphrase = passphrase();
          KeyMaterial volumeKey = volumeKey()) {
        if (luks1) {
          formatLuks1(header, volumeKey, passphrase.secret(), cost);
        } else {
          formatLuks2(header, volumeKey, passphrase.secret(), cost);
        }
      }
    }
    return ExitCodes.SUCCESS;
  }

  private KeyMaterial volumeKey() throws IOException, UsageException {
    KeyMaterial given = options.volumeKey();
    if (given == null) {
      return KeyMaterial.random(keyBits / 8);
    }
    if (given.size() != keyBits / 8) {
      given.close();
      throw new UsageException(
          "the volume key file has " + given.size() + " bytes, the key " + keyBits / 8,
          "Try --key-size " + 8 * given.size() + ".");
    }
    return given;
  }

  private void warn(BlockDevice header, String target) throws IOException, UsageException {
    PrintStream err = session.stdio().err();
    Volumes.probe(header)
        .forEach(
            signature ->
                err.println(
                    "WARNING: Device "
                        + target
                        + " already contains a '"
                        + signature.type()
                        + "' signature at byte "
                        + signature.offset()
                        + "."));
    if (!batch) {
      Passphrases.confirm(
          session.stdio(), "This will overwrite data on " + target + " irrevocably.");
    }
    try {
      Volume old = Volumes.read(header);
      if (!noBackup) {
        err.println(
            "jdm: the old header is saved in " + HeaderBackup.writeBeside(header, old, target));
      }
    } catch (VolumeException e) {
      // There is no header that could open anything.
    }
  }

  private KeySource passphrase() throws IOException, UsageException {
    if (keyFile != null) {
      return KeySource.keyFile(keyFile, 0, KeySource.WHOLE);
    }
    return options.newKey(session.stdio(), "Enter passphrase for " + device + ": ");
  }

  private void formatLuks1(
      BlockDevice header, KeyMaterial volumeKey, KeyMaterial passphrase, KeyslotCost cost)
      throws IOException, UsageException {
    int dash = cipher.indexOf('-');
    if (dash < 0) {
      throw new UsageException("No known cipher specification pattern detected.", "");
    }
    Luks1Spec spec =
        new Luks1Spec(
            cipher.substring(0, dash),
            cipher.substring(dash + 1),
            pbkdf.hash(),
            uuid(),
            Luks1Spec.DEFAULT_ALIGNMENT,
            options.isDetached());
    Luks1Editor.format(header, spec, volumeKey, KdfMonitor.NONE)
        .addKey(volumeKey, passphrase, cost.iterations(), options.keyslot(), KdfMonitor.NONE);
  }

  private void formatLuks2(
      BlockDevice header, KeyMaterial volumeKey, KeyMaterial passphrase, KeyslotCost cost)
      throws IOException {
    Luks2Spec defaults = Luks2Spec.defaults();
    Luks2Spec spec =
        new Luks2Spec(
            cipher,
            sectorSize,
            pbkdf.hash(),
            uuid(),
            label,
            subsystem,
            defaults.metadataSize(),
            defaults.keyslotsSize(),
            options.isDetached() ? 0 : defaults.dataOffset());
    Luks2Editor.format(header, spec, volumeKey, KdfMonitor.NONE)
        .addKey(volumeKey, passphrase, cost, options.keyslot(), KdfMonitor.NONE);
  }

  private String uuid() {
    return (uuid == null ? UUID.randomUUID() : uuid).toString();
  }
}
