package io.jdm.nbd;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The server's side of the fixed newstyle handshake, up to transmission (spec/nbd.md section 1). A
 * driver owns the socket: it sends what {@link #greet} and {@link #accept} put out, reads exactly
 * {@link #wanted()} bytes, gives them to {@link #accept}, and does what that says. Not thread-safe.
 *
 * <p>No bytes that a client can send make it throw anything but {@link NbdException}, hold more
 * than {@value Handshake#MAX_DATA} bytes of them, or answer with more than the exports need.
 */
public final class ServerHandshake {
  /** The exports that a server has for one client. */
  public interface Exports {
    /** Those that are shown to a client who asks; name and description are used. */
    List<Listed> list();

    /**
     * The export of this name; the empty name is the default export. The driver serves what was
     * found last.
     *
     * @return null if there is none
     * @throws IOException if it cannot be opened
     */
    ExportInfo find(String name) throws IOException;
  }

  /** An export in a list. */
  public record Listed(String name, String description) {}

  /** What the driver does after sending the output. */
  public enum Next {
    /** Read {@link #wanted()} bytes. */
    READ,
    /** Start TLS on the connection, then call {@link #tlsStarted()} and read on. */
    START_TLS,
    /** Serve requests for {@link #export()}. */
    TRANSMIT,
    /** Close the connection. */
    CLOSE
  }

  private enum State {
    CLIENT_FLAGS,
    OPTION_HEADER,
    OPTION_DATA,
    SKIP
  }

  /** The id of base:allocation in block status chunks. */
  static final int ALLOCATION_ID = 1;

  /** Option data that is skipped and refused; a client that announces more is cut off. */
  private static final int MAX_SKIPPED = 1 << 20;

  private final Exports exports;
  private final boolean tlsRequired;

  private State state = State.CLIENT_FLAGS;
  private boolean tls;
  private boolean noZeroes;
  private int optionNumber;
  private int left;

  // What was negotiated; forgotten when TLS starts.
  private boolean structured;
  private String metaExport;
  private ExportInfo export;
  private String exportName;

  /**
   * @param exports asked anew for every option
   * @param tlsRequired whether nothing but TLS is accepted; otherwise there is none
   */
  public ServerHandshake(Exports exports, boolean tlsRequired) {
    this.exports = exports;
    this.tlsRequired = tlsRequired;
  }

  /** Puts out the server's greeting. */
  public void greet(HandshakeOutput out) {
    out.putLong(Handshake.NBDMAGIC)
        .putLong(Handshake.IHAVEOPT)
        .putShort(Handshake.FIXED_NEWSTYLE | Handshake.NO_ZEROES);
  }

  /** How many bytes to read next; never above 64 KiB. */
  public int wanted() {
    return switch (state) {
      case CLIENT_FLAGS -> Integer.BYTES;
      case OPTION_HEADER -> Handshake.OPTION_HEADER;
      case OPTION_DATA -> left;
      case SKIP -> Math.min(left, Handshake.MAX_DATA);
    };
  }

  /**
   * Takes the next bytes.
   *
   * @param in exactly {@link #wanted()} bytes
   * @param out what to send
   * @throws NbdException if the client breaks the protocol so that the connection must be dropped
   */
  public Next accept(ByteBuffer in, HandshakeOutput out) throws NbdException {
    return switch (state) {
      case CLIENT_FLAGS -> acceptFlags(in.getInt());
      case OPTION_HEADER -> acceptHeader(in, out);
      case OPTION_DATA -> acceptOption(in, out);
      case SKIP -> skip(in, out);
    };
  }

  /** TLS is on: everything negotiated is forgotten. */
  public void tlsStarted() {
    tls = true;
    structured = false;
    metaExport = null;
  }

  /** The export to serve, with the flags that were negotiated. */
  public ExportInfo export() {
    return export;
  }

  /** Whether structured replies were negotiated. */
  public boolean structuredReplies() {
    return structured;
  }

  /** Whether block status of base:allocation was negotiated for this export. */
  public boolean allocation() {
    return structured && exportName.equals(metaExport);
  }

  private Next acceptFlags(int flags) throws NbdException {
    if ((flags & ~(Handshake.FIXED_NEWSTYLE | Handshake.NO_ZEROES)) != 0) {
      throw new NbdException("client flags are 0x%08x, expected only 0x1 and 0x2".formatted(flags));
    }
    noZeroes = (flags & Handshake.NO_ZEROES) != 0;
    state = State.OPTION_HEADER;
    return Next.READ;
  }

  private Next acceptHeader(ByteBuffer in, HandshakeOutput out) throws NbdException {
    long magic = in.getLong();
    if (magic != Handshake.IHAVEOPT) {
      throw new NbdException(
          "option magic is 0x%016x, expected 0x%016x".formatted(magic, Handshake.IHAVEOPT));
    }
    optionNumber = in.getInt();
    left = in.getInt();
    if (left < 0 || left > MAX_SKIPPED) {
      throw new NbdException(
          "length of option %d is %s, expected at most %d"
              .formatted(optionNumber, Integer.toUnsignedString(left), MAX_SKIPPED));
    }
    if (left > Handshake.MAX_DATA) {
      state = State.SKIP;
      return Next.READ;
    }
    if (left > 0) {
      state = State.OPTION_DATA;
      return Next.READ;
    }
    return acceptOption(ByteBuffer.allocate(0), out);
  }

  private Next skip(ByteBuffer in, HandshakeOutput out) throws NbdException {
    left -= in.remaining();
    if (left > 0) {
      return Next.READ;
    }
    state = State.OPTION_HEADER;
    if (Option.of(optionNumber) == Option.EXPORT_NAME) {
      throw new NbdException("export name is longer than " + Handshake.MAX_DATA + " bytes");
    }
    return refuse(out, OptionReply.ERR_TOO_BIG, "option data of more than 65536 bytes");
  }

  private Next acceptOption(ByteBuffer in, HandshakeOutput out) throws NbdException {
    state = State.OPTION_HEADER;
    Option option = Option.of(optionNumber);
    if (tlsRequired && !tls && option != Option.STARTTLS && option != Option.ABORT) {
      if (option == Option.EXPORT_NAME) {
        throw new NbdException("export name without TLS, which this server requires");
      }
      return refuse(out, OptionReply.ERR_TLS_REQD, "this server requires TLS");
    }
    if (option == null) {
      return refuse(out, OptionReply.ERR_UNSUP, "unknown option");
    }
    return switch (option) {
      case EXPORT_NAME -> exportName(in, out);
      case ABORT -> {
        reply(out, OptionReply.ACK, 0);
        yield Next.CLOSE;
      }
      case LIST -> list(in, out);
      case STARTTLS -> startTls(in, out);
      case INFO, GO -> infoOrGo(option, in, out);
      case STRUCTURED_REPLY -> structuredReply(in, out);
      case LIST_META_CONTEXT, SET_META_CONTEXT -> metaContext(option, in, out);
    };
  }

  private Next exportName(ByteBuffer in, HandshakeOutput out) throws NbdException {
    String name = Handshake.string(in, in.remaining());
    ExportInfo found;
    try {
      found = name == null ? null : find(name);
    } catch (IOException e) {
      throw new NbdException("export '" + name + "' cannot be opened: " + e.getMessage());
    }
    if (found == null) {
      throw new NbdException("export '" + name + "' not present");
    }
    out.putLong(found.size()).putShort(TransmissionFlag.toWord(found.flags()));
    if (!noZeroes) {
      out.put(new byte[Handshake.ZEROES]);
    }
    return transmit(name, found);
  }

  private Next list(ByteBuffer in, HandshakeOutput out) {
    if (in.hasRemaining()) {
      return refuse(out, OptionReply.ERR_INVALID, "LIST takes no data");
    }
    for (Listed listed : exports.list()) {
      byte[] name = Handshake.bytes(listed.name());
      byte[] description = Handshake.bytes(listed.description());
      reply(out, OptionReply.SERVER, Integer.BYTES + name.length + description.length);
      out.putString(name).put(description);
    }
    return acknowledge(out);
  }

  private Next startTls(ByteBuffer in, HandshakeOutput out) {
    if (in.hasRemaining()) {
      return refuse(out, OptionReply.ERR_INVALID, "STARTTLS takes no data");
    }
    if (tls) {
      return refuse(out, OptionReply.ERR_INVALID, "TLS is on already");
    }
    if (!tlsRequired) {
      return refuse(out, OptionReply.ERR_POLICY, "this server has no TLS");
    }
    reply(out, OptionReply.ACK, 0);
    return Next.START_TLS;
  }

  private Next structuredReply(ByteBuffer in, HandshakeOutput out) {
    if (in.hasRemaining()) {
      return refuse(out, OptionReply.ERR_INVALID, "STRUCTURED_REPLY takes no data");
    }
    structured = true;
    return acknowledge(out);
  }

  private Next infoOrGo(Option option, ByteBuffer in, HandshakeOutput out) {
    String name = in.remaining() < Integer.BYTES ? null : Handshake.string(in, in.getInt());
    int requests = name == null || in.remaining() < Short.BYTES ? -1 : in.getShort() & 0xffff;
    if (in.remaining() != requests * Short.BYTES) {
      return refuse(out, OptionReply.ERR_INVALID, "malformed " + option);
    }
    Set<Integer> wanted = new LinkedHashSet<>();
    while (in.hasRemaining()) {
      wanted.add(in.getShort() & 0xffff);
    }
    ExportInfo found;
    try {
      found = find(name);
    } catch (IOException e) {
      return refuse(out, OptionReply.ERR_PLATFORM, "export '" + name + "': " + e.getMessage());
    }
    if (found == null) {
      return unknown(out, name);
    }
    if (wanted.contains(InfoType.NAME.number)) {
      info(out, InfoType.NAME, Handshake.bytes(found.name()));
    }
    if (wanted.contains(InfoType.DESCRIPTION.number)) {
      info(out, InfoType.DESCRIPTION, Handshake.bytes(found.description()));
    }
    BlockSizes sizes = found.blockSizes();
    reply(out, OptionReply.INFO, InfoType.BLOCK_SIZE_LENGTH);
    out.putShort(InfoType.BLOCK_SIZE.number)
        .putInt(sizes.minimum())
        .putInt(sizes.preferred())
        .putInt((int) sizes.maximum());
    reply(out, OptionReply.INFO, InfoType.EXPORT_LENGTH);
    out.putShort(InfoType.EXPORT.number)
        .putLong(found.size())
        .putShort(TransmissionFlag.toWord(found.flags()));
    acknowledge(out);
    return option == Option.GO ? transmit(name, found) : Next.READ;
  }

  private Next metaContext(Option option, ByteBuffer in, HandshakeOutput out) {
    if (option == Option.SET_META_CONTEXT) {
      metaExport = null;
    }
    if (!structured) {
      return refuse(out, OptionReply.ERR_INVALID, option + " needs structured replies");
    }
    String name = in.remaining() < Integer.BYTES ? null : Handshake.string(in, in.getInt());
    if (name == null || in.remaining() < Integer.BYTES) {
      return refuse(out, OptionReply.ERR_INVALID, "malformed " + option);
    }
    long queries = in.getInt() & 0xffff_ffffL;
    boolean listing = option == Option.LIST_META_CONTEXT;
    boolean allocation = listing && queries == 0;
    for (long i = 0; i < queries; i++) {
      String query = in.remaining() < Integer.BYTES ? null : Handshake.string(in, in.getInt());
      if (query == null) {
        return refuse(out, OptionReply.ERR_INVALID, "malformed " + option);
      }
      allocation |= query.equals(Handshake.BASE_ALLOCATION) || (listing && query.equals("base:"));
    }
    if (in.hasRemaining()) {
      return refuse(out, OptionReply.ERR_INVALID, "malformed " + option);
    }
    try {
      if (find(name) == null) {
        return unknown(out, name);
      }
    } catch (IOException e) {
      return refuse(out, OptionReply.ERR_PLATFORM, "export '" + name + "': " + e.getMessage());
    }
    if (allocation) {
      byte[] context = Handshake.bytes(Handshake.BASE_ALLOCATION);
      reply(out, OptionReply.META_CONTEXT, Integer.BYTES + context.length);
      out.putInt(listing ? 0 : ALLOCATION_ID).put(context);
      if (!listing) {
        metaExport = name;
      }
    }
    return acknowledge(out);
  }

  private ExportInfo find(String name) throws IOException {
    ExportInfo found = exports.find(name);
    if (found == null || !structured) {
      return found;
    }
    Set<TransmissionFlag> flags = EnumSet.of(TransmissionFlag.SEND_DF);
    flags.addAll(found.flags());
    return new ExportInfo(
        found.name(), found.description(), found.size(), flags, found.blockSizes());
  }

  private Next transmit(String name, ExportInfo found) {
    exportName = name;
    export = found;
    return Next.TRANSMIT;
  }

  private Next acknowledge(HandshakeOutput out) {
    reply(out, OptionReply.ACK, 0);
    return Next.READ;
  }

  private Next unknown(HandshakeOutput out, String name) {
    return refuse(out, OptionReply.ERR_UNKNOWN, "export '" + name + "' not present");
  }

  private Next refuse(HandshakeOutput out, OptionReply error, String text) {
    byte[] bytes = Handshake.bytes(text);
    reply(out, error, bytes.length);
    out.put(bytes);
    return Next.READ;
  }

  private void info(HandshakeOutput out, InfoType type, byte[] text) {
    reply(out, OptionReply.INFO, Short.BYTES + text.length);
    out.putShort(type.number).put(text);
  }

  private void reply(HandshakeOutput out, OptionReply type, int length) {
    out.putLong(OptionReply.MAGIC).putInt(optionNumber).putInt(type.number).putInt(length);
  }
}
