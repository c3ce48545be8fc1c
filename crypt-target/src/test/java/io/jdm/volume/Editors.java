package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.crypt.kdf.KdfMonitor;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.luks1.Luks1Editor;
import io.jdm.volume.luks1.Luks1Spec;
import io.jdm.volume.luks2.Luks2Editor;
import io.jdm.volume.luks2.Luks2Spec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The two formats' editors under one roof, for tests that do the same with both. */
enum Editors {
  LUKS1 {
    @Override
    void format(BlockDevice device, KeyMaterial volumeKey) throws IOException {
      Luks1Editor.format(
          device,
          new Luks1Spec("aes", "xts-plain64", "sha256", UUID, 1, false),
          volumeKey,
          KdfMonitor.NONE);
    }

    @Override
    int add(BlockDevice device, KeyMaterial volumeKey, String passphrase, int keyslot)
        throws IOException {
      try (KeyMaterial secret = secret(passphrase)) {
        return Luks1Editor.open(device)
            .addKey(volumeKey, secret, ITERATIONS, keyslot, KdfMonitor.NONE);
      }
    }

    @Override
    int change(BlockDevice device, KeyMaterial volumeKey, int keyslot, String passphrase)
        throws IOException {
      try (KeyMaterial secret = secret(passphrase)) {
        return Luks1Editor.open(device)
            .changeKey(keyslot, volumeKey, secret, ITERATIONS, KdfMonitor.NONE);
      }
    }

    @Override
    void kill(BlockDevice device, int keyslot) throws IOException {
      Luks1Editor.open(device).killKeyslot(keyslot);
    }

    @Override
    void erase(BlockDevice device) throws IOException {
      Luks1Editor.open(device).erase();
    }
  },

  LUKS2 {
    @Override
    void format(BlockDevice device, KeyMaterial volumeKey) throws IOException {
      Luks2Editor.format(
          device,
          new Luks2Spec("aes-xts-plain64", 512, "sha256", UUID, "", "", 0x4000, 0x80000, 0x90000),
          volumeKey,
          KdfMonitor.NONE);
    }

    @Override
    int add(BlockDevice device, KeyMaterial volumeKey, String passphrase, int keyslot)
        throws IOException {
      try (KeyMaterial secret = secret(passphrase)) {
        return Luks2Editor.open(device).addKey(volumeKey, secret, COST, keyslot, KdfMonitor.NONE);
      }
    }

    @Override
    int change(BlockDevice device, KeyMaterial volumeKey, int keyslot, String passphrase)
        throws IOException {
      try (KeyMaterial secret = secret(passphrase)) {
        Luks2Editor.open(device).changeKey(keyslot, volumeKey, secret, COST, KdfMonitor.NONE);
        return keyslot;
      }
    }

    @Override
    void kill(BlockDevice device, int keyslot) throws IOException {
      Luks2Editor.open(device).killKeyslot(keyslot);
    }

    @Override
    void erase(BlockDevice device) throws IOException {
      Luks2Editor.open(device).erase();
    }
  };

  static final String UUID = "6e1f4a50-b5be-4d2a-8b6e-0123456789ab";

  /** Bytes of the volume key. */
  static final int KEY_SIZE = 32;

  /** Bytes of a device for a header of either kind and some data. */
  static final int SIZE = 3 << 19;

  private static final int ITERATIONS = KeyslotCost.MIN_ITERATIONS;
  private static final KeyslotCost COST = KeyslotCost.pbkdf2("sha256", ITERATIONS);

  abstract void format(BlockDevice device, KeyMaterial volumeKey) throws IOException;

  abstract int add(BlockDevice device, KeyMaterial volumeKey, String passphrase, int keyslot)
      throws IOException;

  abstract int change(BlockDevice device, KeyMaterial volumeKey, int keyslot, String passphrase)
      throws IOException;

  abstract void kill(BlockDevice device, int keyslot) throws IOException;

  abstract void erase(BlockDevice device) throws IOException;

  static KeyMaterial secret(String passphrase) {
    return KeyMaterial.moveFrom(passphrase.getBytes(StandardCharsets.UTF_8));
  }

  /** The slot that a passphrase opens; -1 if it opens none. */
  static int opens(BlockDevice device, String passphrase) throws IOException {
    try (KeySource key = Images.passphrase(passphrase);
        VolumeKey found = Volumes.read(device).verify(key, UnlockOptions.DEFAULTS)) {
      return found.keyslot();
    } catch (VolumeException e) {
      switch (e.reason()) {
        case WRONG_KEY, NO_KEYSLOT -> {
          return -1;
        }
        default -> throw e;
      }
    }
  }
}
