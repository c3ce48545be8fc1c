package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.volume.VolumeException.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The way in: which volumes a device holds. Nothing here writes. Thread-safe. */
public final class Volumes {
  private static final List<VolumeFormat> FORMATS =
      ServiceLoader.load(VolumeFormat.class).stream().map(ServiceLoader.Provider::get).toList();

  private Volumes() {}

  /** All formats that the service loader finds. */
  public static List<VolumeFormat> formats() {
    return FORMATS;
  }

  /** Everything that a device seems to hold, by place. */
  public static List<Signature> probe(BlockDevice device) throws IOException {
    List<Signature> all = new ArrayList<>();
    for (VolumeFormat format : formats()) {
      all.addAll(format.probe(device));
    }
    all.addAll(OtherSignatures.probe(device));
    all.sort(Comparator.comparingLong(Signature::offset));
    return all;
  }

  /**
   * Reads the header of whichever format there is.
   *
   * @param device of the header: the image, or a detached header's file; stays the caller's
   * @throws VolumeException {@code NOT_FOUND} if no format is there, or what the format says of its
   *     header
   */
  public static Volume read(BlockDevice device) throws IOException {
    for (VolumeFormat format : formats()) {
      try {
        return format.read(device);
      } catch (VolumeException e) {
        if (e.reason() != Reason.NOT_FOUND) {
          throw e;
        }
      }
    }
    throw VolumeException.of(Reason.NOT_FOUND, "LUKS", "no LUKS header in " + device.describe());
  }

  /**
   * Reads the header of one format.
   *
   * @param type {@link VolumeFormat#name()}
   * @throws VolumeException as {@link #read(BlockDevice)}; {@code UNSUPPORTED} for a type that
   *     nobody has
   */
  public static Volume read(BlockDevice device, String type) throws IOException {
    for (VolumeFormat format : formats()) {
      if (format.name().equals(type)) {
        return format.read(device);
      }
    }
    throw VolumeException.of(
        Reason.UNSUPPORTED,
        type,
        "there is no volume type '"
            + type
            + "', only "
            + String.join(", ", formats().stream().map(VolumeFormat::name).toList()));
  }
}
