package io.jdm.cli.volume;

import io.jdm.volume.ByteString;

/** Bytes as cryptsetup prints them: two digits and a space each. */
final class HexLines {
  private HexLines() {}

  /**
   * @param width bytes of a line
   * @param newLine what stands between two lines
   */
  static String of(ByteString bytes, int width, String newLine) {
    StringBuilder text = new StringBuilder();
    byte[] array = bytes.toArray();
    for (int i = 0; i < array.length; i++) {
      text.append(i > 0 && i % width == 0 ? newLine : "");
      text.append(String.format("%02x ", array[i]));
    }
    return text.toString();
  }
}
