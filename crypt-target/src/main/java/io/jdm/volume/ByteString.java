package io.jdm.volume;

import java.util.Arrays;
import java.util.HexFormat;

/** Bytes of a header that are no secret: a salt, a digest. Immutable. */
public final class ByteString {
  private final byte[] bytes;

  private ByteString(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A copy of these bytes. */
  public static ByteString of(byte[] bytes) {
    return new ByteString(bytes.clone());
  }

  /** A copy of a part. */
  public static ByteString of(byte[] bytes, int offset, int size) {
    return new ByteString(Arrays.copyOfRange(bytes, offset, offset + size));
  }

  /** How many they are. */
  public int size() {
    return bytes.length;
  }

  /** A copy of the bytes. */
  public byte[] toArray() {
    return bytes.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ByteString string && Arrays.equals(bytes, string.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Lower-case hexadecimal. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
