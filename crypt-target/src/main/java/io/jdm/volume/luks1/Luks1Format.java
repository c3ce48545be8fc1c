package io.jdm.volume.luks1;

import io.jdm.blockdev.BlockDevice;
import io.jdm.volume.HeaderBytes;
import io.jdm.volume.Signature;
import io.jdm.volume.Signature.Confidence;
import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import io.jdm.volume.VolumeFormat;
import java.io.IOException;
import java.util.List;

/** LUKS1 headers. */
public final class Luks1Format implements VolumeFormat {
  @Override
  public String name() {
    return "luks1";
  }

  @Override
  public List<Signature> probe(BlockDevice device) throws IOException {
    byte[] bytes = HeaderBytes.read(device, 0, Luks1Header.SIZE);
    if (!Luks1Header.isAt(bytes)) {
      return List.of();
    }
    Confidence confidence = Confidence.MAGIC;
    String uuid = "";
    if (bytes.length == Luks1Header.SIZE) {
      try {
        uuid = Luks1Header.parse(bytes).uuid();
        confidence = Confidence.VALID;
      } catch (VolumeException e) {
        // Then only the magic bytes are sure.
      }
    }
    return List.of(new Signature("crypto_LUKS", "1", 0, confidence, "", uuid));
  }

  @Override
  public Luks1Volume read(BlockDevice device) throws IOException {
    byte[] bytes = HeaderBytes.read(device, 0, Luks1Header.SIZE);
    if (!Luks1Header.isAt(bytes)) {
      throw VolumeException.of(
          Reason.NOT_FOUND,
          Luks1Header.FORMAT,
          "Device " + device.describe() + " is not a valid LUKS1 device.");
    }
    if (bytes.length < Luks1Header.SIZE) {
      throw VolumeException.damaged(
          Luks1Header.FORMAT, 0, "header", bytes.length + " bytes long", "592 bytes");
    }
    Luks1Header header = Luks1Header.parse(bytes);
    if (device.size() < header.materialEnd()) {
      throw VolumeException.damaged(
          Luks1Header.FORMAT,
          0,
          "size of the device",
          device.size(),
          "the " + header.materialEnd() + " bytes that the key slots need");
    }
    return new Luks1Volume(device, header);
  }
}
