package io.jdm.nbd;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a server tells about an export.
 *
 * @param name the canonical name, at most 4096 bytes of UTF-8
 * @param description text for people; may be empty
 * @param size in bytes
 * @param flags what it can do
 * @param blockSizes the sizes of requests it takes
 */
public record ExportInfo(
    String name,
    String description,
    long size,
    Set<TransmissionFlag> flags,
    BlockSizes blockSizes) {
  /** Most bytes of a name or a description. */
  public static final int MAX_STRING = 4096;

  public ExportInfo {
    flags = flags.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(flags));
  }

  /** Whether the export has this flag. */
  public boolean can(TransmissionFlag flag) {
    return flags.contains(flag);
  }
}
