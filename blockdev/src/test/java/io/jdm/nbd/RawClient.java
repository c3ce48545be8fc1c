package io.jdm.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A client that sends whatever bytes a test wants. It knows the protocol from the specification.
 */
public final class RawClient implements AutoCloseable {
  public static final long OPTION_MAGIC = 0x49484156454F5054L;
  public static final long REPLY_MAGIC = 0x0003e889045565a9L;
  public static final int SIMPLE = 0x67446698;
  public static final int CHUNK = 0x668e33ef;

  private final SocketChannel channel;
  public final DataInputStream in;

  private RawClient(SocketChannel channel) {
    this.channel = channel;
    this.in = new DataInputStream(Channels.newInputStream(channel));
  }

  /** Connects and says nothing. */
  public static RawClient connect(Path socket) throws IOException {
    return new RawClient(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
  }

  /** Connects and shakes hands for the default export. */
  public static RawClient transmitting(Path socket, boolean structured) throws IOException {
    RawClient client = connect(socket);
    client.greet();
    if (structured) {
      client.option(8, new byte[0]);
      assertThat(client.reply().type()).isEqualTo(1);
      client.option(10, metaContexts("", "base:allocation"));
      assertThat(client.reply().type()).isEqualTo(4);
      assertThat(client.reply().type()).isEqualTo(1);
    }
    client.option(7, info(""));
    while (client.reply().type() == 3) {}
    return client;
  }

  /** Reads the greeting and answers it. */
  public void greet() throws IOException {
    assertThat(in.readLong()).isEqualTo(0x4e42444d41474943L);
    assertThat(in.readLong()).isEqualTo(OPTION_MAGIC);
    assertThat(in.readShort()).isEqualTo((short) 3);
    send(bytes(out -> out.writeInt(3)));
  }

  /** Sends bytes as they are. */
  public void send(byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  public void option(int number, byte[] data) throws IOException {
    send(optionBytes(number, data));
  }

  public static byte[] optionBytes(int number, byte[] data) {
    return bytes(
        out -> {
          out.writeLong(OPTION_MAGIC);
          out.writeInt(number);
          out.writeInt(data.length);
          out.write(data);
        });
  }

  /** Data of INFO and GO. */
  public static byte[] info(String export, int... types) {
    return bytes(
        out -> {
          writeString(out, export);
          out.writeShort(types.length);
          for (int type : types) {
            out.writeShort(type);
          }
        });
  }

  /** Data of LIST_META_CONTEXT and SET_META_CONTEXT. */
  public static byte[] metaContexts(String export, String... queries) {
    return bytes(
        out -> {
          writeString(out, export);
          out.writeInt(queries.length);
          for (String query : queries) {
            writeString(out, query);
          }
        });
  }

  private static void writeString(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** A reply to an option. */
  @SuppressWarnings("ArrayRecordComponent")
  public record OptionReply(int option, int type, byte[] data) {
    public String text() {
      return new String(data, StandardCharsets.UTF_8);
    }
  }

  public OptionReply reply() throws IOException {
    assertThat(in.readLong()).isEqualTo(REPLY_MAGIC);
    int option = in.readInt();
    int type = in.readInt();
    byte[] data = new byte[in.readInt()];
    in.readFully(data);
    return new OptionReply(option, type, data);
  }

  public static byte[] requestBytes(int flags, int command, long cookie, long offset, int length) {
    return bytes(
        out -> {
          out.writeInt(0x25609513);
          out.writeShort(flags);
          out.writeShort(command);
          out.writeLong(cookie);
          out.writeLong(offset);
          out.writeInt(length);
        });
  }

  public void request(int flags, int command, long cookie, long offset, int length)
      throws IOException {
    send(requestBytes(flags, command, cookie, offset, length));
  }

  /** Reads a simple reply without data; its error. */
  public int simpleReply(long cookie) throws IOException {
    assertThat(in.readInt()).isEqualTo(SIMPLE);
    int error = in.readInt();
    assertThat(in.readLong()).isEqualTo(cookie);
    return error;
  }

  /** A chunk of a structured reply. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Chunk(int flags, int type, long cookie, byte[] payload) {
    public ByteBuffer buffer() {
      return ByteBuffer.wrap(payload);
    }

    public boolean done() {
      return (flags & 1) != 0;
    }

    /** The number in an error chunk. */
    public int error() {
      assertThat(type & 0x8000).as("type of an error chunk").isNotZero();
      return buffer().getInt(0);
    }

    /** The text in an error chunk. */
    public String message() {
      return new String(payload, 6, buffer().getShort(4), StandardCharsets.UTF_8);
    }
  }

  public Chunk chunk() throws IOException {
    assertThat(in.readInt()).isEqualTo(CHUNK);
    short flags = in.readShort();
    short type = in.readShort();
    long cookie = in.readLong();
    byte[] payload = new byte[in.readInt()];
    in.readFully(payload);
    return new Chunk(flags & 0xffff, type & 0xffff, cookie, payload);
  }

  /** The error of a structured reply that is one error chunk, or of a simple reply. */
  public int error(boolean structured, long cookie) throws IOException {
    if (!structured) {
      return simpleReply(cookie);
    }
    Chunk chunk = chunk();
    assertThat(chunk.cookie()).isEqualTo(cookie);
    assertThat(chunk.done()).isTrue();
    return chunk.error();
  }

  /** Whether the server closed the connection without sending another byte. */
  public boolean isClosed() throws IOException {
    try {
      return in.read() < 0;
    } catch (EOFException e) {
      return true;
    } catch (IOException e) {
      // The server closed while bytes of this client were on the way.
      return e.getMessage().contains("reset");
    }
  }

  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Writes bytes. */
  @FunctionalInterface
  public interface Writer {
    void write(DataOutputStream out) throws IOException;
  }

  public static byte[] bytes(Writer writer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      writer.write(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }
}
