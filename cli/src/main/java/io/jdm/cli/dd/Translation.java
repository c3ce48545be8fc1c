package io.jdm.cli.dd;

import java.util.HexFormat;
import java.util.Set;

/**
 * The character translations of {@code conv=}: what each byte becomes, and which bytes then stand
 * for newline and space. The tables are those of POSIX, dd, "ASCII to EBCDIC Conversion" and "ASCII
 * to IBM EBCDIC Conversion"; the way back is the inverse of the first.
 */
final class Translation {
  private static final byte[] EBCDIC =
      HexFormat.of()
          .parseHex(
              "00010203372d2e2f1605250b0c0d0e0f101112133c3d322618193f271c1d1e1f"
                  + "405a7f7b5b6c507d4d5d5c4e6b604b61f0f1f2f3f4f5f6f7f8f97a5e4c7e6e6f"
                  + "7cc1c2c3c4c5c6c7c8c9d1d2d3d4d5d6d7d8d9e2e3e4e5e6e7e8e9ade0bd9a6d"
                  + "79818283848586878889919293949596979899a2a3a4a5a6a7a8a9c04fd05f07"
                  + "202122232415061728292a2b2c090a1b30311a333435360838393a3b04143ee1"
                  + "4142434445464748495152535455565758596263646566676869707172737475"
                  + "767778808a8b8c8d8e8f906a9b9c9d9e9fa0aaabac4aaeafb0b1b2b3b4b5b6b7"
                  + "b8b9babbbca1bebfcacbcccdcecfdadbdcdddedfeaebecedeeeffafbfcfdfeff");

  /** Where IBM's table differs: ASCII, then what it becomes. */
  private static final int[][] IBM = {
    {0x5e, 0x5f}, {0x7e, 0xa1}, {0xcb, 0x9a}, {0xd5, 0xad}, {0xe5, 0xbd}
  };

  private final byte[] table = new byte[256];
  private final boolean identity;
  private final byte newline;
  private final byte space;

  Translation(Set<Conversion> conversions) {
    boolean ibm = conversions.contains(Conversion.IBM);
    boolean ebcdic = ibm || conversions.contains(Conversion.EBCDIC);
    boolean ascii = conversions.contains(Conversion.ASCII);
    boolean upper = conversions.contains(Conversion.UCASE);
    boolean lower = conversions.contains(Conversion.LCASE);
    byte[] fromAscii = ibm ? ibm() : EBCDIC;
    for (int i = 0; i < table.length; i++) {
      int to = ascii ? indexOf(EBCDIC, i) : i;
      if (upper && to >= 'a' && to <= 'z') {
        to += 'A' - 'a';
      } else if (lower && to >= 'A' && to <= 'Z') {
        to += 'a' - 'A';
      }
      table[i] = ebcdic ? fromAscii[to] : (byte) to;
    }
    identity = !(ascii || upper || lower || ebcdic);
    newline = ebcdic ? fromAscii['\n'] : (byte) '\n';
    space = ebcdic ? fromAscii[' '] : (byte) ' ';
  }

  private static byte[] ibm() {
    byte[] table = EBCDIC.clone();
    for (int[] difference : IBM) {
      table[difference[0]] = (byte) difference[1];
    }
    return table;
  }

  private static int indexOf(byte[] table, int value) {
    for (int i = 0; i < table.length; i++) {
      if ((table[i] & 0xff) == value) {
        return i;
      }
    }
    throw new IllegalArgumentException("not a permutation");
  }

  /** Whether nothing changes. */
  boolean isIdentity() {
    return identity;
  }

  /** What a byte becomes. */
  byte of(byte b) {
    return table[b & 0xff];
  }

  /** What ends a line, after translation. */
  byte newline() {
    return newline;
  }

  /** What records are padded with, after translation. */
  byte space() {
    return space;
  }
}
