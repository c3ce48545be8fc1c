package io.jdm.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.luks2.Keyslot;
import io.jdm.volume.luks2.Luks2Editor;
import io.jdm.volume.luks2.Luks2Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class EditorContractTest {
  private static BlockDevice formatted(Editors editor, KeyMaterial volumeKey, int blockSize)
      throws IOException {
    BlockDevice device = MemoryDevice.ofSize(Editors.SIZE, blockSize);
    editor.format(device, volumeKey);
    assertThat(editor.add(device, volumeKey, "first", -1)).isZero();
    return device;
  }

  @ParameterizedTest
  @CsvSource({"LUKS1,1", "LUKS1,4096", "LUKS2,1", "LUKS2,4096"})
  void everyOperationDoesWhatItSays(Editors editor, int blockSize) throws IOException {
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE);
        BlockDevice device = formatted(editor, volumeKey, blockSize)) {
      assertThat(Volumes.read(device).uuid()).isEqualTo(Editors.UUID);
      assertThat(Editors.opens(device, "first")).isZero();
      assertThat(Editors.opens(device, "First")).isEqualTo(-1);
      assertThat(editor.add(device, volumeKey, "second", -1)).isEqualTo(1);
      assertThat(editor.add(device, volumeKey, "sixth", 6)).isEqualTo(6);
      assertThat(Editors.opens(device, "second")).isEqualTo(1);
      assertThat(Editors.opens(device, "sixth")).isEqualTo(6);
      int changed = editor.change(device, volumeKey, 1, "other");
      assertThat(Editors.opens(device, "second")).isEqualTo(-1);
      assertThat(Editors.opens(device, "other")).isEqualTo(changed);
      editor.kill(device, 6);
      assertThat(Editors.opens(device, "sixth")).isEqualTo(-1);
      assertThat(Editors.opens(device, "first")).isZero();
      editor.erase(device);
      assertThat(Editors.opens(device, "first")).isEqualTo(-1);
      assertThat(editor.add(device, volumeKey, "again", -1)).isZero();
      assertThat(Editors.opens(device, "again")).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotBeDoneIsRefusedBeforeAnythingIsWritten(Editors editor) throws IOException {
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE);
        KeyMaterial other = KeyMaterial.random(Editors.KEY_SIZE);
        BlockDevice device = formatted(editor, volumeKey, 512)) {
      byte[] before = content(device);
      refused(Reason.WRONG_KEY, () -> editor.add(device, other, "x", -1));
      refused(Reason.REFUSED, () -> editor.add(device, volumeKey, "x", 0));
      refused(Reason.REFUSED, () -> editor.add(device, volumeKey, "x", 32));
      refused(Reason.NO_KEYSLOT, () -> editor.kill(device, 3));
      refused(Reason.NO_KEYSLOT, () -> editor.change(device, volumeKey, 3, "x"));
      assertThat(content(device)).isEqualTo(before);
      try (BlockDevice small = MemoryDevice.ofSize(1 << 16)) {
        refused(Reason.NO_SPACE, () -> editor.format(small, volumeKey));
        assertThat(content(small)).containsOnly(0);
      }
    }
  }

  private interface Operation {
    void run() throws IOException;
  }

  private static void refused(Reason reason, Operation operation) {
    assertThatThrownBy(operation::run)
        .isInstanceOfSatisfying(
            VolumeException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @ParameterizedTest
  @EnumSource
  void slotsAreUsedUpAndThenNoMore(Editors editor) throws IOException {
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE);
        BlockDevice device = formatted(editor, volumeKey, 512)) {
      int slots = editor == Editors.LUKS1 ? 8 : 4;
      for (int i = 1; i < slots; i++) {
        assertThat(editor.add(device, volumeKey, "p" + i, -1)).isEqualTo(i);
      }
      refused(Reason.NO_SPACE, () -> editor.add(device, volumeKey, "x", -1));
      editor.kill(device, 2);
      assertThat(editor.add(device, volumeKey, "x", -1)).isEqualTo(2);
      assertThat(Editors.opens(device, "p3")).isEqualTo(3);
    }
  }

  @Test
  void namesFlagsPrioritiesAndTokens() throws IOException {
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE);
        BlockDevice device = formatted(Editors.LUKS2, volumeKey, 512)) {
      Editors.LUKS2.add(device, volumeKey, "second", -1);
      Luks2Editor editor = Luks2Editor.open(device);
      editor.setLabel("größe", "sub");
      editor.setFlags(List.of("allow-discards", "no-read-workqueue"));
      editor.setPriority(1, 2);
      byte[] token =
          "{\"type\":\"x\",\"keyslots\":[\"1\"],\"extra\":[1,2.5e3,{\"a\":null}]}"
              .getBytes(StandardCharsets.UTF_8);
      assertThat(editor.addToken(token, -1)).isZero();
      assertThat(editor.addToken(token, 7)).isEqualTo(7);
      editor.removeToken(0);
      Luks2Volume volume = (Luks2Volume) Volumes.read(device);
      assertThat(volume.label()).isEqualTo("größe");
      assertThat(volume.subsystem()).isEqualTo("sub");
      assertThat(volume.flags()).containsExactly("allow-discards", "no-read-workqueue");
      assertThat(volume.tokens().keySet()).containsExactly(7);
      assertThat(volume.tokens().get(7).json().get("extra").toString())
          .isEqualTo("[1, 2.5E+3, {a=null}]");
      Editors.LUKS2.change(device, volumeKey, 1, "changed");
      volume = (Luks2Volume) Volumes.read(device);
      assertThat(volume.keyslots().get(1).priority()).isEqualTo(2);
      assertThat(volume.tokens().get(7).keyslots()).containsExactly(1);
      Luks2Editor.open(device).setPriority(1, Keyslot.PRIORITY_IGNORE);
      assertThat(Editors.opens(device, "changed")).as("ignored").isEqualTo(-1);
      Editors.LUKS2.kill(device, 1);
      assertThat(((Luks2Volume) Volumes.read(device)).tokens().get(7).keyslots()).isEmpty();
      Luks2Editor last = Luks2Editor.open(device);
      refused(Reason.NO_SPACE, () -> last.setLabel("x".repeat(48), ""));
      refused(Reason.NOT_FOUND, () -> last.removeToken(3));
      refused(
          Reason.DAMAGED,
          () ->
              last.addToken(
                  "{\"type\":\"t\",\"keyslots\":[\"9\"]}".getBytes(StandardCharsets.UTF_8), -1));
    }
  }

  @Test
  void aHeaderThatSomebodyElseChangedIsLeftAlone() throws IOException {
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE);
        BlockDevice device = formatted(Editors.LUKS2, volumeKey, 512)) {
      Luks2Editor late = Luks2Editor.open(device);
      Luks2Editor.open(device).setLabel("theirs", "");
      refused(Reason.BUSY, () -> late.setLabel("ours", ""));
      assertThat(((Luks2Volume) Volumes.read(device)).label()).isEqualTo("theirs");
    }
  }

  @Test
  void aBadCopyIsMadeGoodByTheNextChange() throws IOException {
    try (KeyMaterial volumeKey = KeyMaterial.random(Editors.KEY_SIZE);
        BlockDevice device = formatted(Editors.LUKS2, volumeKey, 512)) {
      device.write(0, ByteBuffer.allocate(4096));
      Luks2Volume volume = (Luks2Volume) Volumes.read(device);
      assertThat(volume.isSecondary()).isTrue();
      assertThat(volume.problemOfOtherCopy()).isNotNull();
      Luks2Editor.open(device).setLabel("x", "");
      volume = (Luks2Volume) Volumes.read(device);
      assertThat(volume.isSecondary()).isFalse();
      assertThat(volume.problemOfOtherCopy()).isNull();
      assertThat(Editors.opens(device, "first")).isZero();
    }
  }

  private static byte[] content(BlockDevice device) throws IOException {
    byte[] bytes = new byte[(int) device.size()];
    device.read(0, ByteBuffer.wrap(bytes));
    return bytes;
  }
}
