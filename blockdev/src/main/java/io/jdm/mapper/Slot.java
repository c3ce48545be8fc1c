package io.jdm.mapper;

/** The two places for a table that a mapped device has. */
public enum Slot {
  /** The table that serves I/O. */
  LIVE,
  /** The loaded table that the next resume makes live. */
  INACTIVE
}
