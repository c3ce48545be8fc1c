package io.jdm.blockdev;

/**
 * What a device can do beyond reading. Asked before I/O; an operation that is not among them is
 * refused.
 */
public enum Capability {
  /** Data can be written. Absent on a device opened or stacked read-only. */
  WRITE,
  /** {@link BlockDevice#discard} gives space back or is passed to something that may. */
  DISCARD,
  /**
   * {@link BlockDevice#writeZeroes} costs less than writing zeros. Without it the call still works
   * on a writable device: zeros are written.
   */
  FAST_ZERO
}
