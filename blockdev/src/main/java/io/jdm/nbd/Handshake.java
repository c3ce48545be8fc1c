package io.jdm.nbd;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What both sides of the handshake know. */
final class Handshake {
  static final long NBDMAGIC = 0x4e42_444d_4147_4943L;
  static final long IHAVEOPT = 0x4948_4156_454f_5054L;
  static final long OLDSTYLE = 0x0000_4202_8186_1253L;

  /** Bytes of the server's greeting: two magics and its flags. */
  static final int GREETING = 18;

  /** Bytes of an option's header: magic, number, length. */
  static final int OPTION_HEADER = 16;

  static final int FIXED_NEWSTYLE = 1;
  static final int NO_ZEROES = 2;

  /** Zeros after the answer to EXPORT_NAME unless both sides said NO_ZEROES. */
  static final int ZEROES = 124;

  /** Most bytes of an option or a reply to it that either side takes. */
  static final int MAX_DATA = 64 * 1024;

  static final String BASE_ALLOCATION = "base:allocation";

  private Handshake() {}

  /**
   * The next {@code length} bytes as text, or null if they are no valid string: not all there, too
   * long, not UTF-8, or with a NUL.
   */
  static String string(ByteBuffer in, long length) {
    if (length < 0 || length > ExportInfo.MAX_STRING || length > in.remaining()) {
      return null;
    }
    ByteBuffer bytes = in.slice(in.position(), (int) length);
    in.position(in.position() + (int) length);
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      return text.indexOf(0) < 0 ? text : null;
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
