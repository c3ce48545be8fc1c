package io.jdm.cli.volume;

import io.jdm.volume.ByteString;
import io.jdm.volume.luks1.Luks1Keyslot;
import io.jdm.volume.luks1.Luks1Volume;

/** The text that {@code cryptsetup luksDump} prints of a LUKS1 header. */
public final class Luks1Dump {
  private Luks1Dump() {}

  /**
   * The whole text.
   *
   * @param device as the user named it
   */
  public static String text(Luks1Volume volume, String device) {
    StringBuilder text = new StringBuilder();
    text.append("LUKS header information for ").append(device).append("\n\n");
    line(text, "Version:       \t", 1);
    line(text, "Cipher name:   \t", volume.cipherName());
    line(text, "Cipher mode:   \t", volume.cipherMode());
    line(text, "Hash spec:     \t", volume.hash());
    line(text, "Payload offset:\t", volume.payloadOffset());
    line(text, "MK bits:       \t", volume.keySize() * 8);
    line(text, "MK digest:     \t", hex(volume.digest(), "\n"));
    line(text, "MK salt:       \t", hex(volume.digestSalt(), "\n               \t"));
    line(text, "MK iterations: \t", volume.digestIterations());
    line(text, "UUID:          \t", volume.uuid());
    text.append('\n');
    for (int i = 0; i < volume.keyslots().size(); i++) {
      Luks1Keyslot keyslot = volume.keyslots().get(i);
      line(text, "Key Slot " + i + ": ", keyslot.active() ? "ENABLED" : "DISABLED");
      if (keyslot.active()) {
        line(text, "\tIterations:         \t", keyslot.iterations());
        line(text, "\tSalt:               \t", hex(keyslot.salt(), "\n\t                      \t"));
        line(text, "\tKey material offset:\t", keyslot.materialOffset());
        line(text, "\tAF stripes:            \t", keyslot.stripes());
      }
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, Object value) {
    text.append(name).append(value).append('\n');
  }

  /** Two digits and a space a byte; salts in lines of 16, digests in one. */
  private static String hex(ByteString bytes, String newLine) {
    return HexLines.of(bytes, bytes.size() == 32 ? 16 : bytes.size(), newLine);
  }
}
