package io.jdm.nbd;

import io.jdm.blockdev.Errno;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * The client's side of the newstyle handshake, up to transmission (spec/nbd.md section 1): TLS if
 * wanted, structured replies, base:allocation, then GO, or EXPORT_NAME for old servers. A driver
 * owns the socket: it reads exactly {@link #wanted()} bytes, gives them to {@link #accept}, sends
 * what that puts out and does what it says. Not thread-safe.
 *
 * <p>No bytes that a server can send make it throw anything but {@link NbdException} or hold more
 * than {@value Handshake#MAX_DATA} bytes of them.
 */
public final class ClientHandshake {
  /** What the driver does after sending the output. */
  public enum Next {
    /** Read {@link #wanted()} bytes. */
    READ,
    /** Start TLS on the connection, then call {@link #tlsStarted} and send what that puts out. */
    START_TLS,
    /** Send requests. */
    TRANSMIT
  }

  private enum State {
    GREETING,
    REPLY_HEADER,
    REPLY_DATA,
    EXPORT_NAME_REPLY
  }

  private static final int EXPORT_NAME_REPLY = Long.BYTES + Short.BYTES;

  private final String export;
  private final boolean tls;

  private State state = State.GREETING;
  private boolean noZeroes;
  private Option asked;
  private int replyNumber;
  private int left;

  private boolean structured;
  private boolean allocation;
  private int allocationId;
  private long size = -1;
  private Set<TransmissionFlag> flags;
  private String description = "";
  private BlockSizes sizes = BlockSizes.DEFAULT;
  private int replies;

  /** Most replies to one option: a server that sends more is no server. */
  private static final int MAX_REPLIES = 1000;

  /**
   * @param export the name to ask for
   * @param tls whether TLS is started first; if the server will not, that is an error
   */
  public ClientHandshake(String export, boolean tls) {
    this.export = export;
    this.tls = tls;
  }

  /** How many bytes to read next; above 0 and never above 64 KiB. */
  public int wanted() {
    return switch (state) {
      case GREETING -> Handshake.GREETING;
      case REPLY_HEADER -> OptionReply.HEADER;
      case REPLY_DATA -> left;
      case EXPORT_NAME_REPLY -> EXPORT_NAME_REPLY + (noZeroes ? 0 : Handshake.ZEROES);
    };
  }

  /**
   * Takes the next bytes.
   *
   * @param in exactly {@link #wanted()} bytes
   * @param out what to send
   * @throws NbdException if the server breaks the protocol or refuses the export; the connection is
   *     then of no more use
   */
  public Next accept(ByteBuffer in, HandshakeOutput out) throws NbdException {
    return switch (state) {
      case GREETING -> acceptGreeting(in, out);
      case REPLY_HEADER -> acceptHeader(in, out);
      case REPLY_DATA -> acceptReply(in, out);
      case EXPORT_NAME_REPLY -> {
        accept(in.getLong(), in.getShort() & 0xffff);
        yield Next.TRANSMIT;
      }
    };
  }

  /** TLS is on: goes on with the options. */
  public void tlsStarted(HandshakeOutput out) {
    ask(Option.STRUCTURED_REPLY, out);
  }

  /** What the server told about the export; the name is the one that was asked for. */
  public ExportInfo export() {
    return new ExportInfo(export, description, size, flags, sizes);
  }

  /** Whether structured replies were negotiated. */
  public boolean structuredReplies() {
    return structured;
  }

  /** Whether block status of base:allocation was negotiated. */
  public boolean allocation() {
    return allocation;
  }

  /** The id of base:allocation in block status chunks. */
  public int allocationId() {
    return allocationId;
  }

  private Next acceptGreeting(ByteBuffer in, HandshakeOutput out) throws NbdException {
    long magic = in.getLong();
    if (magic != Handshake.NBDMAGIC) {
      throw new NbdException(
          "greeting is 0x%016x, expected 0x%016x".formatted(magic, Handshake.NBDMAGIC));
    }
    long style = in.getLong();
    if (style == Handshake.OLDSTYLE) {
      throw new NbdException("the server only speaks the oldstyle handshake");
    }
    if (style != Handshake.IHAVEOPT) {
      throw new NbdException(
          "greeting goes on with 0x%016x, expected 0x%016x".formatted(style, Handshake.IHAVEOPT));
    }
    int serverFlags = in.getShort();
    noZeroes = (serverFlags & Handshake.NO_ZEROES) != 0;
    boolean fixed = (serverFlags & Handshake.FIXED_NEWSTYLE) != 0;
    out.putInt((fixed ? Handshake.FIXED_NEWSTYLE : 0) | (noZeroes ? Handshake.NO_ZEROES : 0));
    if (!fixed && tls) {
      throw new NbdException(Errno.EOPNOTSUPP, "the server has no TLS");
    }
    ask(!fixed ? Option.EXPORT_NAME : tls ? Option.STARTTLS : Option.STRUCTURED_REPLY, out);
    return Next.READ;
  }

  private Next acceptHeader(ByteBuffer in, HandshakeOutput out) throws NbdException {
    long magic = in.getLong();
    if (magic != OptionReply.MAGIC) {
      throw new NbdException(
          "option reply magic is 0x%016x, expected 0x%016x".formatted(magic, OptionReply.MAGIC));
    }
    int number = in.getInt();
    if (number != asked.number) {
      throw new NbdException(
          "reply is to option %s, expected %d"
              .formatted(Integer.toUnsignedString(number), asked.number));
    }
    replyNumber = in.getInt();
    left = in.getInt();
    if (left < 0 || left > Handshake.MAX_DATA) {
      throw new NbdException(
          "length of a reply to %s is %s, expected at most %d"
              .formatted(asked, Integer.toUnsignedString(left), Handshake.MAX_DATA));
    }
    if (++replies > MAX_REPLIES) {
      throw new NbdException("more than " + MAX_REPLIES + " replies to " + asked);
    }
    if (left > 0) {
      state = State.REPLY_DATA;
      return Next.READ;
    }
    return acceptReply(ByteBuffer.allocate(0), out);
  }

  private Next acceptReply(ByteBuffer in, HandshakeOutput out) throws NbdException {
    state = State.REPLY_HEADER;
    OptionReply reply = OptionReply.of(replyNumber);
    if (OptionReply.isError(replyNumber)) {
      return refused(reply, in, out);
    }
    if (reply == OptionReply.INFO && asked == Option.GO) {
      acceptInfo(in);
      return Next.READ;
    }
    if (reply == OptionReply.META_CONTEXT && asked == Option.SET_META_CONTEXT) {
      acceptContext(in);
      return Next.READ;
    }
    if (reply != OptionReply.ACK) {
      throw new NbdException("reply to " + asked + " is of type " + replyNumber + ", expected ACK");
    }
    if (in.hasRemaining()) {
      throw new NbdException("ACK of " + asked + " has " + in.remaining() + " bytes, expected 0");
    }
    return acknowledged(out);
  }

  private Next acknowledged(HandshakeOutput out) throws NbdException {
    switch (asked) {
      case STARTTLS -> {
        return Next.START_TLS;
      }
      case STRUCTURED_REPLY -> {
        structured = true;
        ask(Option.SET_META_CONTEXT, out);
      }
      case SET_META_CONTEXT -> ask(Option.GO, out);
      default -> {
        if (size < 0) {
          throw new NbdException("GO is acknowledged without size and flags");
        }
        return Next.TRANSMIT;
      }
    }
    return Next.READ;
  }

  private Next refused(OptionReply error, ByteBuffer in, HandshakeOutput out) throws NbdException {
    if (error != OptionReply.ERR_TLS_REQD) {
      switch (asked) {
        case STRUCTURED_REPLY, SET_META_CONTEXT -> {
          allocation = false;
          ask(Option.GO, out);
          return Next.READ;
        }
        case GO -> {
          if (error == OptionReply.ERR_UNSUP) {
            ask(Option.EXPORT_NAME, out);
            return Next.READ;
          }
        }
        default -> {}
      }
    }
    String text = Handshake.string(in, Math.min(in.remaining(), ExportInfo.MAX_STRING));
    String name = error == null ? "error " + (replyNumber & 0x7fff_ffff) : error.toString();
    throw new NbdException(
        error == null ? Errno.EIO : error.errno,
        "the server refuses "
            + asked
            + " with "
            + name
            + (text == null || text.isEmpty() ? "" : ": " + printable(text)));
  }

  private void acceptInfo(ByteBuffer in) throws NbdException {
    int type = in.remaining() < Short.BYTES ? -1 : in.getShort() & 0xffff;
    int length = in.remaining() + Short.BYTES;
    if (type < 0) {
      throw new NbdException("INFO has " + in.remaining() + " bytes, expected at least 2");
    }
    if (type == InfoType.EXPORT.number) {
      expectLength("INFO of the export", length, InfoType.EXPORT_LENGTH);
      accept(in.getLong(), in.getShort() & 0xffff);
    } else if (type == InfoType.BLOCK_SIZE.number) {
      expectLength("INFO of block sizes", length, InfoType.BLOCK_SIZE_LENGTH);
      sizes = BlockSizes.checked(in.getInt(), in.getInt(), in.getInt() & 0xffff_ffffL);
    } else if (type == InfoType.DESCRIPTION.number) {
      String text = Handshake.string(in, in.remaining());
      description = text == null ? "" : printable(text);
    }
  }

  private void acceptContext(ByteBuffer in) throws NbdException {
    if (in.remaining() < Integer.BYTES) {
      throw new NbdException("META_CONTEXT has " + in.remaining() + " bytes, expected at least 4");
    }
    int id = in.getInt();
    String name = Handshake.string(in, in.remaining());
    if (!Handshake.BASE_ALLOCATION.equals(name)) {
      throw new NbdException(
          "META_CONTEXT is "
              + (name == null ? "no string" : "'" + printable(name) + "'")
              + ", expected '"
              + Handshake.BASE_ALLOCATION
              + "'");
    }
    allocation = true;
    allocationId = id;
  }

  private void accept(long exportSize, int word) throws NbdException {
    if (exportSize < 0) {
      throw new NbdException(
          "export size is " + Long.toUnsignedString(exportSize) + ", expected less than 2^63");
    }
    flags = TransmissionFlag.ofWord(word);
    if (!flags.contains(TransmissionFlag.HAS_FLAGS)) {
      throw new NbdException("transmission flags are 0x%04x, without HAS_FLAGS".formatted(word));
    }
    size = exportSize;
  }

  private static void expectLength(String what, int found, int expected) throws NbdException {
    if (found != expected) {
      throw new NbdException(what + " has " + found + " bytes, expected " + expected);
    }
  }

  private void ask(Option option, HandshakeOutput out) {
    asked = option;
    replies = 0;
    state = option == Option.EXPORT_NAME ? State.EXPORT_NAME_REPLY : State.REPLY_HEADER;
    byte[] name = Handshake.bytes(export);
    byte[] context = Handshake.bytes(Handshake.BASE_ALLOCATION);
    out.putLong(Handshake.IHAVEOPT).putInt(option.number);
    switch (option) {
      case EXPORT_NAME -> out.putString(name);
      case SET_META_CONTEXT ->
          out.putInt(3 * Integer.BYTES + name.length + context.length)
              .putString(name)
              .putInt(1)
              .putString(context);
      case GO ->
          out.putInt(Integer.BYTES + name.length + 2 * Short.BYTES)
              .putString(name)
              .putShort(1)
              .putShort(InfoType.BLOCK_SIZE.number);
      default -> out.putInt(0);
    }
  }

  private static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}", "?");
  }
}
