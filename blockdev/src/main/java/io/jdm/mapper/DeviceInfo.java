package io.jdm.mapper;

/**
 * What {@code dmsetup info} knows about a mapped device, at one moment.
 *
 * @param name the name
 * @param uuid the uuid, or empty
 * @param number major and minor
 * @param suspended whether I/O waits
 * @param readOnly whether the disk is read-only: the mode of the live table; false without one
 * @param live whether there is a live table
 * @param inactive whether there is an inactive table
 * @param openCount handles and tables that have the device open
 * @param eventNumber the event counter, from 0
 * @param targets lines of the live table, 0 without one
 * @param inactiveTargets lines of the inactive table, 0 without one
 * @param sectors size of the live table in 512-byte sectors, 0 without one
 * @param deferredRemove whether the device goes with its last close
 */
public record DeviceInfo(
    String name,
    String uuid,
    DeviceNumber number,
    boolean suspended,
    boolean readOnly,
    boolean live,
    boolean inactive,
    int openCount,
    long eventNumber,
    int targets,
    int inactiveTargets,
    long sectors,
    boolean deferredRemove) {
  /** What names this device now. */
  public DeviceId id() {
    return DeviceId.named(name);
  }
}
