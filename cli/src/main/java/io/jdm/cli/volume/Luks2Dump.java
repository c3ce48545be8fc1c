package io.jdm.cli.volume;

import io.jdm.volume.Segment;
import io.jdm.volume.luks2.DataSegment;
import io.jdm.volume.luks2.Kdf;
import io.jdm.volume.luks2.KeyDigest;
import io.jdm.volume.luks2.Keyslot;
import io.jdm.volume.luks2.Luks2Volume;
import io.jdm.volume.luks2.Token;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The text that {@code cryptsetup luksDump} prints of a LUKS2 header. */
public final class Luks2Dump {
  private static final List<String> PRIORITIES = List.of("ignored", "normal", "preferred");
  private static final String SALT_INDENT = "\n\t            ";
  private static final int SALT_WIDTH = 16;

  private Luks2Dump() {}

  /** The whole text. */
  public static String text(Luks2Volume volume) {
    StringBuilder text = new StringBuilder();
    text.append("LUKS header information\n");
    line(text, "Version:       \t", 2);
    line(text, "Epoch:         \t", volume.sequence());
    line(text, "Metadata area: \t", volume.headerSize() + " [bytes]");
    line(text, "Keyslots area: \t", volume.keyslotsSize() + " [bytes]");
    line(text, "UUID:          \t", orElse(volume.uuid(), "(no UUID)"));
    line(text, "Label:         \t", orElse(volume.label(), "(no label)"));
    line(text, "Subsystem:     \t", orElse(volume.subsystem(), "(no subsystem)"));
    text.append(words("Flags:       \t", volume.flags(), "(no flags)")).append('\n');
    if (!volume.requirements().isEmpty()) {
      text.append(words("Requirements:\t", volume.requirements(), "")).append('\n');
    }
    text.append("Data segments:\n");
    sorted(volume.segments()).values().forEach(segment -> segment(text, segment));
    text.append("\nKeyslots:\n");
    sorted(volume.keyslots()).values().forEach(keyslot -> keyslot(text, keyslot, volume));
    text.append("Tokens:\n");
    sorted(volume.tokens()).values().forEach(token -> token(text, token));
    text.append("Digests:\n");
    sorted(volume.digests()).values().forEach(digest -> digest(text, digest));
    return text.toString();
  }

  private static <T> Map<Integer, T> sorted(Map<Integer, T> objects) {
    return new TreeMap<>(objects);
  }

  private static void line(StringBuilder text, String name, Object value) {
    text.append(name).append(value).append('\n');
  }

  private static String orElse(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }

  private static String words(String name, List<String> words, String none) {
    return name + (words.isEmpty() ? none : String.join(" ", words) + " ") + "\n";
  }

  private static void segment(StringBuilder text, DataSegment segment) {
    line(text, "  " + segment.id() + ": ", segment.type());
    line(text, "\toffset: ", segment.offset() + " [bytes]");
    line(
        text,
        "\tlength: ",
        segment.size() == Segment.REST ? "(whole device)" : segment.size() + " [bytes]");
    if (segment.encryption() != null) {
      line(text, "\tcipher: ", segment.encryption());
      line(text, "\tsector: ", segment.sectorSize() + " [bytes]");
    }
    if (segment.integrity() != null) {
      line(text, "\tintegrity: ", segment.integrity());
    }
    if (!segment.flags().isEmpty()) {
      line(text, "\tflags : ", String.join(", ", segment.flags()));
    }
  }

  private static void keyslot(StringBuilder text, Keyslot keyslot, Luks2Volume volume) {
    line(text, "  " + keyslot.id() + ": ", keyslot.type());
    line(text, "\tKey:        ", keyslot.keySize() * 8 + " bits");
    line(text, "\tPriority:   ", PRIORITIES.get(keyslot.priority()));
    if (keyslot.lock() != null) {
      line(text, "\tCipher:     ", keyslot.lock().encryption());
      line(text, "\tCipher key: ", keyslot.lock().keySize() * 8 + " bits");
      kdf(text, keyslot.lock().kdf());
      line(text, "\tAF stripes: ", keyslot.lock().stripes());
      line(text, "\tAF hash:    ", keyslot.lock().afHash());
    }
    line(text, "\tArea offset:", keyslot.areaOffset() + " [bytes]");
    line(text, "\tArea length:", keyslot.areaSize() + " [bytes]");
    for (KeyDigest digest : sorted(volume.digests()).values()) {
      if (digest.keyslots().contains(keyslot.id())) {
        line(text, "\tDigest ID:  ", digest.id());
      }
    }
  }

  private static void kdf(StringBuilder text, Kdf kdf) {
    line(text, "\tPBKDF:      ", kdf.type());
    if (kdf.cost() == null) {
      line(text, "\tHash:       ", kdf.hash());
      line(text, "\tIterations: ", kdf.iterations());
    } else {
      line(text, "\tTime cost:  ", kdf.cost().passes());
      line(text, "\tMemory:     ", kdf.cost().memoryKib());
      line(text, "\tThreads:    ", kdf.cost().lanes());
    }
    line(text, "\tSalt:       ", HexLines.of(kdf.salt(), SALT_WIDTH, SALT_INDENT));
  }

  private static void token(StringBuilder text, Token token) {
    line(text, "  " + token.id() + ": ", token.type());
    if (token.json().get("key_description") instanceof String description) {
      line(text, "\tKey description: ", description);
    }
    token.keyslots().forEach(keyslot -> line(text, "\tKeyslot:    ", keyslot));
  }

  private static void digest(StringBuilder text, KeyDigest digest) {
    line(text, "  " + digest.id() + ": ", digest.type());
    if (digest.hash() != null) {
      line(text, "\tHash:       ", digest.hash());
      line(text, "\tIterations: ", digest.iterations());
      line(text, "\tSalt:       ", HexLines.of(digest.salt(), SALT_WIDTH, SALT_INDENT));
      line(text, "\tDigest:     ", HexLines.of(digest.digest(), SALT_WIDTH, SALT_INDENT));
    }
  }
}
