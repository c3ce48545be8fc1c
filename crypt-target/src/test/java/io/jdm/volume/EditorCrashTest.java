package io.jdm.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.LayerDevice;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.testing.VolatileCacheDevice;
import io.jdm.volume.luks2.Luks2Editor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A power cut before every write and flush of every operation, with what was not flushed lost,
 * kept, torn or out of order: the header is always one that opens.
 */
final class EditorCrashTest {
  private static final int DISKS = 4;

  private interface Change {
    void apply(BlockDevice device, KeyMaterial volumeKey) throws IOException;
  }

  /** The power goes before the n-th write or flush. */
  private static final class Cut extends LayerDevice {
    private int left;

    Cut(BlockDevice below, int operations) {
      super(below);
      this.left = operations;
    }

    private void count() throws IOException {
      if (left-- == 0) {
        left = 0;
        throw new IOException("the power is gone");
      }
    }

    @Override
    protected void doWrite(long offset, ByteBuffer src) throws IOException {
      count();
      super.doWrite(offset, src);
    }

    @Override
    protected void doFlush() throws IOException {
      count();
      super.doFlush();
    }

    @Override
    public String describe() {
      return "cut " + below.describe();
    }
  }

  /**
   * Tries all cuts.
   *
   * @param passphrases of which one must open what is left; none: the header must be readable
   */
  private static void survives(
      String what, byte[] before, KeyMaterial volumeKey, Change change, List<String> passphrases)
      throws IOException {
    long seed = Long.getLong("jdm.random.seed", 20261201);
    Random random = new Random(seed);
    boolean complete = false;
    int cuts = 0;
    for (int operations = 0; !complete; operations++) {
      VolatileCacheDevice cache = VolatileCacheDevice.of(before, 512);
      try {
        change.apply(new Cut(cache, operations), volumeKey);
        complete = true;
      } catch (IOException e) {
        assertThat(e)
            .as("%s cut before operation %d", what, operations)
            .hasMessage("the power is gone");
      }
      for (int i = 0; i < DISKS; i++) {
        cuts++;
        try (BlockDevice disk = Images.device(cache.afterPowerCut(random))) {
          boolean opens = passphrases.isEmpty();
          for (String passphrase : passphrases) {
            opens |= Editors.opens(disk, passphrase) >= 0;
          }
          assertThat(opens)
              .as("%s cut before operation %d, seed %d", what, operations, seed)
              .isTrue();
          assertThat(Volumes.read(disk).uuid()).isEqualTo(Editors.UUID);
        }
      }
    }
    assertThat(cuts).as(what).isGreaterThan(2 * DISKS);
  }

  @ParameterizedTest
  @EnumSource
  void everyChangeLeavesAHeaderThatOpens(Editors editor) throws IOException {
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE)) {
      VolatileCacheDevice disk = VolatileCacheDevice.ofSize(Editors.SIZE, 512);
      editor.format(disk, volumeKey);
      editor.add(disk, volumeKey, "old", -1);
      byte[] one = disk.current();
      for (int keyslot : new int[] {1, 6}) {
        survives(
            "add " + keyslot,
            one,
            volumeKey,
            (device, key) -> editor.add(device, key, "new", keyslot),
            List.of("old"));
      }
      survives(
          "change",
          one,
          volumeKey,
          (device, key) -> editor.change(device, key, 0, "new"),
          List.of("old", "new"));
      int sixth = editor.add(disk, volumeKey, "other", 6);
      byte[] two = disk.current();
      for (int keyslot : new int[] {0, sixth}) {
        survives(
            "kill " + keyslot,
            two,
            volumeKey,
            (device, key) -> editor.kill(device, keyslot),
            List.of(keyslot == 0 ? "other" : "old"));
      }
      survives("erase", two, volumeKey, (device, key) -> editor.erase(device), List.of());
      List<Change> others = new ArrayList<>();
      if (editor == Editors.LUKS2) {
        others.add((device, key) -> Luks2Editor.open(device).setLabel("l", "s"));
        others.add((device, key) -> Luks2Editor.open(device).setPriority(0, 2));
      }
      for (Change other : others) {
        survives("other", two, volumeKey, other, List.of("old"));
      }
    }
  }
}
