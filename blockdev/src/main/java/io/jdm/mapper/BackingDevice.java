package io.jdm.mapper;

import io.jdm.blockdev.BlockDevice;

/**
 * A device that a target maps onto, as the table opened it. The table owns it: it is opened once
 * however often it is named, and closed with the table.
 *
 * @param name how {@code table} and {@code deps} print it; accepted back in a table
 * @param device for I/O; read-only if the table is
 */
public record BackingDevice(String name, BlockDevice device) {}
