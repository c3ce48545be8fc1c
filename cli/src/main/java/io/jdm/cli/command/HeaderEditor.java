package io.jdm.cli.command;

import io.jdm.blockdev.BlockDevice;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.Stdio;
import io.jdm.cli.session.UsageException;
import io.jdm.cli.session.VolumeOptions;
import io.jdm.cli.volume.Headers;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.KeyslotCost;
import io.jdm.volume.Volume;
import io.jdm.volume.VolumeKey;
import io.jdm.volume.luks1.Luks1Editor;
import io.jdm.volume.luks1.Luks1Volume;
import io.jdm.volume.luks2.Luks2Editor;
import io.jdm.volume.luks2.Luks2Volume;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The keyslots of a header of either format, on a device that is open and locked for writing. */
final class HeaderEditor implements AutoCloseable {
  private final BlockDevice device;
  private final VolumeOptions options;

  HeaderEditor(Session session, VolumeOptions options, String device) throws IOException {
    this.options = options;
    this.device = session.devices().openDeviceOrTable(options.header(device), true);
  }

  /** The header as it is now. */
  Volume volume() throws IOException {
    return Headers.read(device, options);
  }

  /** The numbers of the keyslots in use. */
  List<Integer> keyslots() throws IOException {
    Volume volume = volume();
    if (volume instanceof Luks1Volume luks1) {
      return IntStream.range(0, luks1.keyslots().size())
          .filter(i -> luks1.keyslots().get(i).active())
          .boxed()
          .toList();
    }
    return ((Luks2Volume) volume)
        .keyslots().entrySet().stream()
            .filter(entry -> entry.getValue().lock() != null)
            .map(Map.Entry::getKey)
            .toList();
  }

  /** Adds a keyslot and returns its number. */
  int add(KeyMaterial volumeKey, KeyMaterial passphrase, PbkdfOptions pbkdf, int keyslot)
      throws IOException, UsageException {
    KeyslotCost cost = cost(pbkdf, volumeKey.size());
    return volume() instanceof Luks1Volume
        ? Luks1Editor.open(device)
            .addKey(volumeKey, passphrase, cost.iterations(), keyslot, KdfMonitor.NONE)
        : Luks2Editor.open(device).addKey(volumeKey, passphrase, cost, keyslot, KdfMonitor.NONE);
  }

  /** Changes a keyslot and returns the number that it has then. */
  int change(int keyslot, KeyMaterial volumeKey, KeyMaterial passphrase, PbkdfOptions pbkdf)
      throws IOException, UsageException {
    KeyslotCost cost = cost(pbkdf, volumeKey.size());
    if (volume() instanceof Luks1Volume) {
      return Luks1Editor.open(device)
          .changeKey(keyslot, volumeKey, passphrase, cost.iterations(), KdfMonitor.NONE);
    }
    Luks2Editor.open(device).changeKey(keyslot, volumeKey, passphrase, cost, KdfMonitor.NONE);
    return keyslot;
  }

  private KeyslotCost cost(PbkdfOptions pbkdf, int keySize) throws IOException, UsageException {
    return volume() instanceof Luks1Volume luks1
        ? pbkdf.cost(true, luks1.hash(), keySize)
        : pbkdf.cost(false, null, keySize);
  }

  /**
   * The keyslot that a key came from.
   *
   * @throws UsageException for a volume key, which needs none
   */
  static int keyslotOf(VolumeKey found) throws UsageException {
    if (found.keyslot() < 0) {
      throw new UsageException(
          "a volume key tells no keyslot", "Give the passphrase of the keyslot that is meant.");
    }
    return found.keyslot();
  }

  /**
   * Checks that a keyslot is in use.
   *
   * @throws UsageException with cryptsetup's words if it is not
   */
  void requireKeyslot(int keyslot) throws IOException, UsageException {
    if (!keyslots().contains(keyslot)) {
      throw new UsageException(
          "Keyslot " + keyslot + " is not active.", "In use are " + keyslots() + ".");
    }
  }

  /**
   * Destroys a keyslot; the last one only if it is forced.
   *
   * @throws UsageException if it is the last one
   */
  void killUnlessLast(int keyslot, boolean force, Stdio stdio) throws IOException, UsageException {
    if (!force && keyslots().size() == 1) {
      throw new UsageException(
          "keyslot " + keyslot + " is the last one: without it nobody opens the volume any more",
          "Give --force if that is meant.");
    }
    stdio.err().println("Keyslot " + keyslot + " is selected for deletion.");
    kill(keyslot);
  }

  private void kill(int keyslot) throws IOException {
    if (volume() instanceof Luks1Volume) {
      Luks1Editor.open(device).killKeyslot(keyslot);
    } else {
      Luks2Editor.open(device).killKeyslot(keyslot);
    }
  }

  void erase() throws IOException {
    if (volume() instanceof Luks1Volume) {
      Luks1Editor.open(device).erase();
    } else {
      Luks2Editor.open(device).erase();
    }
  }

  @Override
  public void close() throws IOException {
    device.close();
  }
}
