package io.jdm.volume.luks2;

import io.jdm.blockdev.BlockDevice;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.Signature;
import io.jdm.volume.Signature.Confidence;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** LUKS2 headers: one at the start of the device, and a copy behind it. */
public final class Luks2Format implements VolumeFormat {
  private static final String TYPE = "crypto_LUKS";

  @Override
  public String name() {
    return "luks2";
  }

  @Override
  public List<Signature> probe(BlockDevice device) throws IOException {
    List<Signature> found = new ArrayList<>();
    add(found, device, 0);
    for (int offset : BinaryHeader.SIZES) {
      add(found, device, offset);
    }
    return found;
  }

  private static void add(List<Signature> found, BlockDevice device, int offset)
      throws IOException {
    byte[] bytes = HeaderBytes.read(device, offset, BinaryHeader.LENGTH);
    if (!BinaryHeader.isAt(bytes, offset == 0)) {
      return;
    }
    String label = "";
    String uuid = "";
    if (bytes.length == BinaryHeader.LENGTH) {
      try {
        BinaryHeader header = BinaryHeader.parse(bytes, offset);
        label = header.label();
        uuid = header.uuid();
      } catch (VolumeException e) {
        // Then only the magic bytes are sure.
      }
    }
    Confidence confidence =
        HeaderCopy.read(device, offset).isGood() ? Confidence.VALID : Confidence.MAGIC;
    found.add(
        new Signature(
            TYPE, "2", offset, offset == 0 ? confidence : Confidence.REMNANT, label, uuid));
  }

  @Override
  public Luks2Volume read(BlockDevice device) throws IOException {
    HeaderCopy primary = HeaderCopy.readPrimary(device);
    HeaderCopy secondary = HeaderCopy.readSecondary(device, primary);
    HeaderCopy chosen = HeaderCopy.choose(primary, secondary);
    return new Luks2Volume(
        device, chosen, chosen.header().offset() == 0 ? secondary.problem() : primary.problem());
  }
}
