package io.jdm.mapper;

import java.util.Optional;

/**
 * A device that a table uses.
 *
 * @param name as a table prints it and takes it back: a path, {@code 253:0}, {@code mem:1M:x}
 * @param number the number if it is a mapped device
 */
public record Dependency(String name, Optional<DeviceNumber> number) {}
