package io.jdm.volume.luks1;

import io.jdm.volume.ByteString;

/**
 * A key slot of a LUKS1 header.
 *
 * @param active whether it holds a key
 * @param iterations of PBKDF2; 0 when never used
 * @param salt 32 bytes
 * @param materialOffset 512-byte sectors from the start of the header's device
 * @param stripes always 4000
 */
public record Luks1Keyslot(
    boolean active, long iterations, ByteString salt, long materialOffset, int stripes) {}
