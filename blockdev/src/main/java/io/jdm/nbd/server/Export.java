package io.jdm.nbd.server;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.layer.AligningDevice;
import io.jdm.blockdev.layer.ReadOnlyDevice;
import io.jdm.nbd.BlockSizes;
import io.jdm.nbd.ExportInfo;
import io.jdm.nbd.TransmissionFlag;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;

/**
 * A block device under a name that clients ask for. All clients share one device, with byte access
 * by read-modify-write if it wants whole blocks. Nobody else may write to it by parts of blocks.
 * Thread-safe.
 */
public final class Export {
  /** Opens the device when the first client comes. */
  @FunctionalInterface
  public interface Opener {
    /** Opens the device, which is closed when the last client has gone. */
    BlockDevice open() throws IOException;
  }

  /** Most bytes of a read or write that are advertised and taken. */
  static final int MAXIMUM_PAYLOAD = BlockSizes.PORTABLE_MAXIMUM;

  private final String name;
  private final String description;
  private final boolean readOnly;
  private final Opener opener;

  /** Whether the device is this object's to close. */
  private final boolean owned;

  private BlockDevice opened;
  private BlockDevice served;
  private int users;

  private Export(String name, String description, boolean readOnly, Opener opener, boolean owned) {
    if (name.length() > ExportInfo.MAX_STRING / 4
        || description.length() > ExportInfo.MAX_STRING / 4
        || name.indexOf(0) >= 0) {
      throw new IllegalArgumentException(
          "the name or the description of an export is longer than 1024 characters or has a NUL");
    }
    this.name = name;
    this.description = description;
    this.readOnly = readOnly;
    this.opener = opener;
    this.owned = owned;
  }

  /** Exports a device, which stays the caller's to close, after the server. */
  public static Export of(String name, BlockDevice device) {
    return new Export(name, "", false, () -> device, false);
  }

  /** Exports a device that is only open while there are clients. */
  public static Export opening(String name, Opener opener) {
    return new Export(name, "", false, opener, true);
  }

  /** The same with text for people. */
  public Export withDescription(String text) {
    return new Export(name, text, readOnly, opener, owned);
  }

  /** The same, but clients cannot change anything. */
  public Export readOnly() {
    return new Export(name, description, true, opener, owned);
  }

  /** The name that clients ask for. */
  public String name() {
    return name;
  }

  /** Text for people; may be empty. */
  public String description() {
    return description;
  }

  /** The device for one more client, who calls {@link #leave()} when it needs it no more. */
  synchronized BlockDevice join() throws IOException {
    if (users == 0 && (served == null || owned)) {
      opened = opener.open();
      BlockDevice device = readOnly ? ReadOnlyDevice.of(opened) : opened;
      served = device.limits().logicalBlockSize() > 1 ? AligningDevice.of(device) : device;
    }
    users++;
    return served;
  }

  synchronized void leave() throws IOException {
    users--;
    if (users == 0 && owned) {
      BlockDevice device = opened;
      opened = null;
      served = null;
      device.close();
    }
  }

  /** What clients are told about the device that {@link #join()} gave. */
  ExportInfo info(BlockDevice device) {
    Limits limits = device.limits();
    int preferred = Math.min(MAXIMUM_PAYLOAD, Math.max(4096, limits.preferredIoSize()));
    return new ExportInfo(
        name,
        description,
        device.size(),
        flags(device.capabilities()),
        new BlockSizes(1, preferred, MAXIMUM_PAYLOAD));
  }

  private static Set<TransmissionFlag> flags(Set<Capability> capabilities) {
    Set<TransmissionFlag> flags =
        EnumSet.of(
            TransmissionFlag.HAS_FLAGS,
            TransmissionFlag.SEND_FLUSH,
            TransmissionFlag.SEND_FUA,
            TransmissionFlag.CAN_MULTI_CONN,
            TransmissionFlag.SEND_CACHE);
    if (!capabilities.contains(Capability.WRITE)) {
      flags.add(TransmissionFlag.READ_ONLY);
      return flags;
    }
    flags.add(TransmissionFlag.SEND_WRITE_ZEROES);
    flags.add(TransmissionFlag.SEND_FAST_ZERO);
    if (capabilities.contains(Capability.DISCARD)) {
      flags.add(TransmissionFlag.SEND_TRIM);
    }
    return flags;
  }
}
