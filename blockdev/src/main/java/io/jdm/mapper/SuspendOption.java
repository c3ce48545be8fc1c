package io.jdm.mapper;

/** How to suspend, and how {@code resume} suspends before it swaps tables. */
public enum SuspendOption {
  /**
   * Requests in flight need not have reached the disk, and nothing is synced: implies {@link
   * #NOLOCKFS}.
   */
  NOFLUSH,
  /** Do not sync before I/O is stopped. */
  NOLOCKFS
}
