package io.jdm.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both sides of the handshake: spec/nbd.md section 1. */
class HandshakeTest {
  private static final long SEED = 20261130;

  private static final Set<TransmissionFlag> FLAGS =
      EnumSet.of(TransmissionFlag.HAS_FLAGS, TransmissionFlag.SEND_FLUSH);
  private static final ExportInfo DISK =
      new ExportInfo("disk", "a disk", 1 << 20, FLAGS, new BlockSizes(1, 4096, 1 << 25));

  private static final ServerHandshake.Exports EXPORTS =
      new ServerHandshake.Exports() {
        @Override
        public List<ServerHandshake.Listed> list() {
          return List.of(
              new ServerHandshake.Listed("disk", "a disk"),
              new ServerHandshake.Listed("broken", ""));
        }

        @Override
        public ExportInfo find(String name) throws IOException {
          if (name.equals("broken")) {
            throw new IOException("it is broken");
          }
          return name.isEmpty() || name.equals("disk") ? DISK : null;
        }
      };

  /** A server to which a test sends bytes in any pieces. */
  private static final class Driver {
    final ServerHandshake handshake;
    final HandshakeOutput out = new HandshakeOutput();
    ServerHandshake.Next next = ServerHandshake.Next.READ;

    Driver(boolean tlsRequired) {
      handshake = new ServerHandshake(EXPORTS, tlsRequired);
      handshake.greet(out);
      out.take();
    }

    /** Feeds bytes until there are too few of them or the handshake is over; what is answered. */
    byte[] feed(byte[] bytes) throws NbdException {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      while (next == ServerHandshake.Next.READ && in.remaining() >= handshake.wanted()) {
        int wanted = handshake.wanted();
        assertThat(wanted).isBetween(1, 65_536);
        ByteBuffer unit = in.slice(in.position(), wanted);
        in.position(in.position() + wanted);
        next = handshake.accept(unit, out);
      }
      ByteBuffer taken = out.take();
      byte[] answer = new byte[taken.remaining()];
      taken.get(answer);
      return answer;
    }

    Driver greeted() throws NbdException {
      assertThat(feed(new byte[] {0, 0, 0, 3})).isEmpty();
      return this;
    }

    List<RawClient.OptionReply> option(int number, byte[] data) throws NbdException {
      return replies(feed(RawClient.optionBytes(number, data)));
    }

    Driver structured() throws NbdException {
      assertThat(types(option(8, new byte[0]))).containsExactly(ACK);
      return this;
    }
  }

  private static final int ACK = 1;
  private static final int SERVER = 2;
  private static final int INFO = 3;
  private static final int META_CONTEXT = 4;
  private static final int UNSUP = 0x8000_0001;
  private static final int POLICY = 0x8000_0002;
  private static final int INVALID = 0x8000_0003;
  private static final int PLATFORM = 0x8000_0004;
  private static final int TLS_REQD = 0x8000_0005;
  private static final int UNKNOWN = 0x8000_0006;
  private static final int TOO_BIG = 0x8000_0009;

  private static List<RawClient.OptionReply> replies(byte[] bytes) {
    List<RawClient.OptionReply> replies = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        assertThat(in.readLong()).isEqualTo(RawClient.REPLY_MAGIC);
        int option = in.readInt();
        int type = in.readInt();
        byte[] data = new byte[in.readInt()];
        in.readFully(data);
        replies.add(new RawClient.OptionReply(option, type, data));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return replies;
  }

  private static List<Integer> types(List<RawClient.OptionReply> replies) {
    return replies.stream().map(RawClient.OptionReply::type).toList();
  }

  // The server.

  @Test
  void theServerGreetsWithFixedNewstyle() {
    HandshakeOutput out = new HandshakeOutput();
    new ServerHandshake(EXPORTS, false).greet(out);
    ByteBuffer greeting = out.take();
    assertThat(greeting.remaining()).isEqualTo(18);
    assertThat(greeting.getLong()).isEqualTo(0x4e42444d41474943L);
    assertThat(greeting.getLong()).isEqualTo(0x49484156454F5054L);
    assertThat(greeting.getShort()).isEqualTo((short) 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 0x8000_0000, 0x1_0000, -1})
  void unknownClientFlagsEndTheConnection(int flags) {
    Driver driver = new Driver(false);
    assertThatThrownBy(() -> driver.feed(ByteBuffer.allocate(4).putInt(flags).array()))
        .isInstanceOf(NbdException.class);
  }

  @Test
  void goTellsTheExportAndStartsTransmission() throws NbdException {
    Driver driver = new Driver(false).greeted();
    List<RawClient.OptionReply> replies = driver.option(7, RawClient.info("disk", 3, 1, 2, 99));
    assertThat(types(replies)).containsExactly(INFO, INFO, INFO, INFO, ACK);
    assertThat(replies).allMatch(reply -> reply.option() == 7);
    assertThat(replies.get(0).text()).isEqualTo("\0\1disk");
    assertThat(replies.get(1).text()).isEqualTo("\0\2a disk");
    ByteBuffer sizes = ByteBuffer.wrap(replies.get(2).data());
    assertThat(sizes.getShort()).isEqualTo((short) 3);
    assertThat(sizes.getInt()).isEqualTo(1);
    assertThat(sizes.getInt()).isEqualTo(4096);
    assertThat(sizes.getInt()).isEqualTo(1 << 25);
    assertThat(sizes.hasRemaining()).isFalse();
    ByteBuffer export = ByteBuffer.wrap(replies.get(3).data());
    assertThat(export.getShort()).isZero();
    assertThat(export.getLong()).isEqualTo(1 << 20);
    assertThat(export.getShort()).isEqualTo((short) 5);
    assertThat(export.hasRemaining()).isFalse();
    assertThat(driver.next).isEqualTo(ServerHandshake.Next.TRANSMIT);
    assertThat(driver.handshake.export().name()).isEqualTo("disk");
    assertThat(driver.handshake.structuredReplies()).isFalse();
  }

  @Test
  void infoTellsTheSameAndGoesOn() throws NbdException {
    Driver driver = new Driver(false).greeted();
    assertThat(types(driver.option(6, RawClient.info("", 3)))).containsExactly(INFO, INFO, ACK);
    assertThat(driver.next).isEqualTo(ServerHandshake.Next.READ);
    assertThat(types(driver.option(7, RawClient.info("")))).endsWith(ACK);
  }

  @Test
  void dontFragmentIsOfferedWithStructuredReplies() throws NbdException {
    Driver driver = new Driver(false).greeted().structured();
    List<RawClient.OptionReply> replies = driver.option(7, RawClient.info("disk"));
    ByteBuffer export = ByteBuffer.wrap(replies.get(replies.size() - 2).data());
    assertThat(export.getShort(10)).isEqualTo((short) 0x85);
    assertThat(driver.handshake.structuredReplies()).isTrue();
  }

  @Test
  void exportNameIsAnsweredWithoutAHeader() throws NbdException {
    Driver driver = new Driver(false).greeted();
    byte[] answer = driver.feed(RawClient.optionBytes(1, Handshake.bytes("disk")));
    assertThat(answer).hasSize(10);
    assertThat(ByteBuffer.wrap(answer).getLong()).isEqualTo(1 << 20);
    assertThat(driver.next).isEqualTo(ServerHandshake.Next.TRANSMIT);
    Driver old = new Driver(false);
    old.feed(new byte[] {0, 0, 0, 1});
    byte[] padded = old.feed(RawClient.optionBytes(1, new byte[0]));
    assertThat(padded).hasSize(134);
    assertThat(Arrays.copyOfRange(padded, 10, 134)).containsOnly(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nothing", "broken"})
  void exportNameOfWhatIsNotThereEndsTheConnection(String name) throws NbdException {
    Driver driver = new Driver(false).greeted();
    assertThatThrownBy(() -> driver.feed(RawClient.optionBytes(1, Handshake.bytes(name))))
        .isInstanceOf(NbdException.class)
        .hasMessageContaining(name);
  }

  @Test
  void listNamesAllExports() throws NbdException {
    List<RawClient.OptionReply> replies = new Driver(false).greeted().option(3, new byte[0]);
    assertThat(types(replies)).containsExactly(SERVER, SERVER, ACK);
    assertThat(replies.get(0).text()).isEqualTo("\0\0\0\4diska disk");
    assertThat(replies.get(1).text()).isEqualTo("\0\0\0\6broken");
  }

  @Test
  void abortIsAcknowledgedAndCloses() throws NbdException {
    Driver driver = new Driver(false).greeted();
    assertThat(types(driver.option(2, new byte[7]))).containsExactly(ACK);
    assertThat(driver.next).isEqualTo(ServerHandshake.Next.CLOSE);
  }

  @Test
  void unknownOptionsAreUnsupportedAndTheirDataDropped() throws NbdException {
    Driver driver = new Driver(false).greeted();
    for (int option : new int[] {0, 4, 11, 12, 1000, -1}) {
      assertThat(types(driver.option(option, new byte[33]))).containsExactly(UNSUP);
    }
    assertThat(types(driver.option(3, new byte[0]))).endsWith(ACK);
  }

  @Test
  void whatIsNotThereIsUnknownAndWhatCannotBeOpenedSaysWhy() throws NbdException {
    Driver driver = new Driver(false).greeted().structured();
    for (int option : new int[] {6, 7}) {
      List<RawClient.OptionReply> unknown = driver.option(option, RawClient.info("x"));
      assertThat(types(unknown)).containsExactly(UNKNOWN);
      assertThat(unknown.get(0).text()).isEqualTo("export 'x' not present");
      List<RawClient.OptionReply> broken = driver.option(option, RawClient.info("broken"));
      assertThat(types(broken)).containsExactly(PLATFORM);
      assertThat(broken.get(0).text()).contains("it is broken");
    }
    for (int option : new int[] {9, 10}) {
      assertThat(types(driver.option(option, RawClient.metaContexts("x", "base:allocation"))))
          .containsExactly(UNKNOWN);
      assertThat(types(driver.option(option, RawClient.metaContexts("broken"))))
          .containsExactly(PLATFORM);
    }
  }

  @Test
  void malformedDataIsInvalidAndTheHandshakeGoesOn() throws NbdException {
    Driver driver = new Driver(false).greeted().structured();
    assertThat(types(driver.option(3, new byte[1]))).containsExactly(INVALID);
    assertThat(types(driver.option(8, new byte[1]))).containsExactly(INVALID);
    assertThat(types(driver.option(5, new byte[1]))).containsExactly(INVALID);
    byte[] info = RawClient.info("disk", 1, 2);
    byte[] contexts = RawClient.metaContexts("disk", "base:allocation", "base:");
    for (int option : new int[] {6, 7, 9, 10}) {
      byte[] whole = option < 8 ? info : contexts;
      for (int length = 0; length < whole.length; length++) {
        assertThat(types(driver.option(option, Arrays.copyOf(whole, length))))
            .as("option %d cut to %d bytes", option, length)
            .containsExactly(INVALID);
      }
      assertThat(types(driver.option(option, Arrays.copyOf(whole, whole.length + 1))))
          .containsExactly(INVALID);
      for (int length : new int[] {-1, 5, 4097, 0x7fff_ffff, 0x8000_0000}) {
        byte[] wrong = ByteBuffer.wrap(whole.clone()).putInt(0, length).array();
        assertThat(types(driver.option(option, wrong))).containsExactly(INVALID);
      }
      byte[] nul = whole.clone();
      nul[5] = 0;
      assertThat(types(driver.option(option, nul))).containsExactly(INVALID);
      byte[] noUtf8 = whole.clone();
      noUtf8[5] = (byte) 0xff;
      assertThat(types(driver.option(option, noUtf8))).containsExactly(INVALID);
    }
    assertThat(types(driver.option(7, info))).endsWith(ACK);
  }

  @Test
  void dataThatIsTooBigIsRefusedAndDropped() throws NbdException {
    Driver driver = new Driver(false).greeted();
    assertThat(types(driver.option(6, new byte[65_537]))).containsExactly(TOO_BIG);
    assertThat(types(driver.option(77, new byte[1 << 20]))).containsExactly(TOO_BIG);
    assertThat(types(driver.option(7, RawClient.info("disk")))).endsWith(ACK);
  }

  @ParameterizedTest
  @ValueSource(ints = {(1 << 20) + 1, 0x7fff_ffff, 0x8000_0000, -1})
  void absurdLengthsEndTheConnection(int length) throws NbdException {
    Driver driver = new Driver(false).greeted();
    byte[] header = RawClient.optionBytes(6, new byte[0]);
    ByteBuffer.wrap(header).putInt(12, length);
    assertThatThrownBy(() -> driver.feed(header)).isInstanceOf(NbdException.class);
  }

  @Test
  void aWrongOptionMagicEndsTheConnection() throws NbdException {
    for (int bit = 0; bit < 64; bit++) {
      Driver driver = new Driver(false).greeted();
      byte[] option = RawClient.optionBytes(3, new byte[0]);
      option[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> driver.feed(option)).isInstanceOf(NbdException.class);
    }
  }

  @Test
  void metaContextsAreListedAndSelected() throws NbdException {
    Driver driver = new Driver(false).greeted();
    byte[] allocation = RawClient.metaContexts("disk", "base:allocation");
    assertThat(types(driver.option(10, allocation))).containsExactly(INVALID);
    driver.structured();
    for (String[] queries :
        new String[][] {{}, {"base:"}, {"base:allocation"}, {"qemu:", "base:allocation"}}) {
      List<RawClient.OptionReply> listed =
          driver.option(9, RawClient.metaContexts("disk", queries));
      assertThat(types(listed)).containsExactly(META_CONTEXT, ACK);
      assertThat(listed.get(0).text()).isEqualTo("\0\0\0\0base:allocation");
    }
    assertThat(types(driver.option(9, RawClient.metaContexts("disk", "qemu:"))))
        .containsExactly(ACK);
    assertThat(types(driver.option(10, RawClient.metaContexts("disk")))).containsExactly(ACK);
    assertThat(types(driver.option(10, RawClient.metaContexts("disk", "base:"))))
        .containsExactly(ACK);
    List<RawClient.OptionReply> selected = driver.option(10, allocation);
    assertThat(types(selected)).containsExactly(META_CONTEXT, ACK);
    assertThat(selected.get(0).text()).isEqualTo("\0\0\0\1base:allocation");
    driver.option(7, RawClient.info("disk"));
    assertThat(driver.handshake.allocation()).isTrue();
  }

  @Test
  void aSelectionHoldsForItsExportOnlyAndTheLastOneCounts() throws NbdException {
    byte[] allocation = RawClient.metaContexts("disk", "base:allocation");
    Driver other = new Driver(false).greeted().structured();
    other.option(10, allocation);
    other.option(7, RawClient.info(""));
    assertThat(other.handshake.allocation()).as("another name").isFalse();
    Driver failed = new Driver(false).greeted().structured();
    failed.option(10, allocation);
    failed.option(10, RawClient.metaContexts("x", "base:allocation"));
    failed.option(7, RawClient.info("disk"));
    assertThat(failed.handshake.allocation()).as("after a failed selection").isFalse();
  }

  @Test
  void aServerWithoutTlsSaysSo() throws NbdException {
    assertThat(types(new Driver(false).greeted().option(5, new byte[0]))).containsExactly(POLICY);
  }

  @Test
  void aServerThatRequiresTlsTakesNothingElse() throws NbdException {
    Driver driver = new Driver(true).greeted();
    for (int option : new int[] {3, 6, 7, 8, 9, 10, 11, 99}) {
      assertThat(types(driver.option(option, new byte[0]))).containsExactly(TLS_REQD);
    }
    assertThat(types(driver.option(5, new byte[0]))).containsExactly(ACK);
    assertThat(driver.next).isEqualTo(ServerHandshake.Next.START_TLS);
    driver.handshake.tlsStarted();
    driver.next = ServerHandshake.Next.READ;
    assertThat(types(driver.option(5, new byte[0]))).containsExactly(INVALID);
    assertThat(types(driver.option(10, RawClient.metaContexts("disk"))))
        .as("structured replies must be negotiated again")
        .containsExactly(INVALID);
    assertThat(types(driver.option(7, RawClient.info("disk")))).endsWith(ACK);
    Driver abort = new Driver(true).greeted();
    assertThat(types(abort.option(2, new byte[0]))).containsExactly(ACK);
    Driver exportName = new Driver(true).greeted();
    assertThatThrownBy(() -> exportName.feed(RawClient.optionBytes(1, Handshake.bytes("disk"))))
        .isInstanceOf(NbdException.class);
  }

  @Test
  void noBytesOfAClientDoMoreThanEndTheConnection() {
    Random random = new Random(SEED);
    byte[] valid =
        RawClient.bytes(
            out -> {
              out.writeInt(3);
              out.write(RawClient.optionBytes(8, new byte[0]));
              out.write(RawClient.optionBytes(10, RawClient.metaContexts("disk", "base:")));
              out.write(RawClient.optionBytes(6, RawClient.info("disk", 1, 2, 3)));
              out.write(RawClient.optionBytes(3, new byte[0]));
              out.write(RawClient.optionBytes(7, RawClient.info("disk", 3)));
            });
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = valid.clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Driver driver = new Driver(random.nextInt(8) == 0);
      try {
        byte[] answer = driver.feed(bytes);
        assertThat(answer.length).as("seed %d, round %d", SEED, round).isLessThan(10_000);
      } catch (NbdException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }

  // The client.

  /** The server and the client in one thread, with a hand in the bytes of the server. */
  private static ClientHandshake.Next meet(
      ServerHandshake server, ClientHandshake client, Random noise) throws NbdException {
    HandshakeOutput fromServer = new HandshakeOutput();
    HandshakeOutput fromClient = new HandshakeOutput();
    ByteBuffer toClient = ByteBuffer.allocate(1 << 14).limit(0);
    ByteBuffer toServer = ByteBuffer.allocate(1 << 14).limit(0);
    server.greet(fromServer);
    ServerHandshake.Next serverNext = ServerHandshake.Next.READ;
    ClientHandshake.Next clientNext = ClientHandshake.Next.READ;
    while (true) {
      boolean moved = false;
      append(toClient, fromServer.take(), noise);
      while (clientNext == ClientHandshake.Next.READ && toClient.remaining() >= client.wanted()) {
        clientNext = client.accept(next(toClient, client.wanted()), fromClient);
        moved = true;
      }
      append(toServer, fromClient.take(), null);
      while (serverNext == ServerHandshake.Next.READ && toServer.remaining() >= server.wanted()) {
        serverNext = server.accept(next(toServer, server.wanted()), fromServer);
        moved = true;
      }
      if (serverNext == ServerHandshake.Next.START_TLS
          && clientNext == ClientHandshake.Next.START_TLS) {
        server.tlsStarted();
        client.tlsStarted(fromClient);
        append(toServer, fromClient.take(), null);
        serverNext = ServerHandshake.Next.READ;
        clientNext = ClientHandshake.Next.READ;
      } else if (!moved) {
        return clientNext;
      }
    }
  }

  private static ByteBuffer next(ByteBuffer from, int length) {
    ByteBuffer unit = from.slice(from.position(), length);
    from.position(from.position() + length);
    return unit;
  }

  private static void append(ByteBuffer to, ByteBuffer bytes, Random noise) {
    to.compact();
    int start = to.position();
    to.put(bytes);
    if (noise != null && to.position() > start && noise.nextInt(3) == 0) {
      to.put(start + noise.nextInt(to.position() - start), (byte) noise.nextInt());
    }
    to.flip();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theClientGetsAllThatTheServerHas(boolean tls) throws NbdException {
    ClientHandshake client = new ClientHandshake("disk", tls);
    assertThat(meet(new ServerHandshake(EXPORTS, tls), client, null))
        .isEqualTo(ClientHandshake.Next.TRANSMIT);
    assertThat(client.structuredReplies()).isTrue();
    assertThat(client.allocation()).isTrue();
    assertThat(client.allocationId()).isEqualTo(1);
    assertThat(client.export().size()).isEqualTo(1 << 20);
    assertThat(client.export().blockSizes()).isEqualTo(DISK.blockSizes());
    assertThat(client.export().can(TransmissionFlag.SEND_FLUSH)).isTrue();
    assertThat(client.export().can(TransmissionFlag.SEND_DF)).isTrue();
  }

  @Test
  void refusalsOfTheServerReachTheUser() {
    assertThatThrownBy(
            () -> meet(new ServerHandshake(EXPORTS, false), new ClientHandshake("x", false), null))
        .isInstanceOf(NbdException.class)
        .hasMessage("the server refuses GO with ERR_UNKNOWN: export 'x' not present");
    assertThatThrownBy(
            () ->
                meet(new ServerHandshake(EXPORTS, true), new ClientHandshake("disk", false), null))
        .isInstanceOf(NbdException.class)
        .hasMessageContaining("ERR_TLS_REQD");
    assertThatThrownBy(
            () ->
                meet(new ServerHandshake(EXPORTS, false), new ClientHandshake("disk", true), null))
        .isInstanceOf(NbdException.class)
        .hasMessageContaining("STARTTLS with ERR_POLICY");
  }

  @Test
  void noBytesOfAServerDoMoreThanEndTheConnection() {
    for (int round = 0; round < 20_000; round++) {
      Random random = new Random(SEED + round);
      ClientHandshake client = new ClientHandshake("disk", random.nextInt(8) == 0);
      try {
        meet(new ServerHandshake(EXPORTS, random.nextInt(8) == 0), client, random);
      } catch (NbdException e) {
        assertThat(e.getMessage()).as("seed %d", SEED + round).isNotBlank();
      }
    }
  }

  /** A server as a script: what it sends, whatever the client says. */
  private static ClientHandshake converse(RawClient.Writer script) throws NbdException {
    ClientHandshake client = new ClientHandshake("disk", false);
    ByteBuffer in = ByteBuffer.wrap(RawClient.bytes(script));
    HandshakeOutput out = new HandshakeOutput();
    ClientHandshake.Next next = ClientHandshake.Next.READ;
    while (next == ClientHandshake.Next.READ && in.remaining() >= client.wanted()) {
      next = client.accept(next(in, client.wanted()), out);
    }
    assertThat(next).isEqualTo(ClientHandshake.Next.TRANSMIT);
    return client;
  }

  private static void greeting(java.io.DataOutputStream out, int flags) throws IOException {
    out.writeLong(0x4e42444d41474943L);
    out.writeLong(0x49484156454F5054L);
    out.writeShort(flags);
  }

  private static void reply(java.io.DataOutputStream out, int option, int type, byte[] data)
      throws IOException {
    out.writeLong(RawClient.REPLY_MAGIC);
    out.writeInt(option);
    out.writeInt(type);
    out.writeInt(data.length);
    out.write(data);
  }

  @Test
  void anOldServerWithoutOptionsIsAskedByExportName() throws NbdException {
    ClientHandshake client =
        converse(
            out -> {
              greeting(out, 0);
              out.writeLong(4096);
              out.writeShort(1);
              out.write(new byte[124]);
            });
    assertThat(client.export().size()).isEqualTo(4096);
    assertThat(client.structuredReplies()).isFalse();
  }

  @Test
  void aServerWithoutGoIsAskedByExportName() throws NbdException {
    ClientHandshake client =
        converse(
            out -> {
              greeting(out, 3);
              reply(out, 8, UNSUP, new byte[0]);
              reply(out, 7, UNSUP, new byte[0]);
              out.writeLong(8192);
              out.writeShort(3);
            });
    assertThat(client.export().size()).isEqualTo(8192);
    assertThat(client.export().can(TransmissionFlag.READ_ONLY)).isTrue();
    assertThat(client.export().blockSizes()).isEqualTo(BlockSizes.DEFAULT);
  }

  @Test
  void violationsOfAServerAreNamed() {
    assertViolation("greeting is", out -> out.write(new byte[18]));
    assertViolation(
        "oldstyle",
        out -> {
          out.writeLong(0x4e42444d41474943L);
          out.writeLong(0x00420281861253L);
          out.writeShort(0);
        });
    assertViolation(
        "option reply magic",
        out -> {
          greeting(out, 3);
          out.write(new byte[20]);
        });
    assertViolation(
        "reply is to option 7",
        out -> {
          greeting(out, 3);
          reply(out, 7, ACK, new byte[0]);
        });
    assertViolation(
        "length of a reply",
        out -> {
          greeting(out, 3);
          out.writeLong(RawClient.REPLY_MAGIC);
          out.writeInt(8);
          out.writeInt(ACK);
          out.writeInt(-1);
        });
    assertViolation(
        "has 1 bytes, expected 0",
        out -> {
          greeting(out, 3);
          reply(out, 8, ACK, new byte[1]);
        });
    assertViolation(
        "expected ACK",
        out -> {
          greeting(out, 3);
          reply(out, 8, SERVER, new byte[4]);
        });
    assertGoViolation("without size", out -> reply(out, 7, ACK, new byte[0]));
    assertGoViolation("without HAS_FLAGS", out -> reply(out, 7, INFO, new byte[12]));
    assertGoViolation("expected 12", out -> reply(out, 7, INFO, new byte[13]));
    assertGoViolation("INFO has", out -> reply(out, 7, INFO, new byte[1]));
    byte[] negative = new byte[12];
    negative[2] = (byte) 0x80;
    assertGoViolation("export size", out -> reply(out, 7, INFO, negative));
    byte[] blocks = new byte[14];
    blocks[1] = 3;
    assertGoViolation("minimum block size", out -> reply(out, 7, INFO, blocks));
    assertGoViolation(
        "more than 1000 replies",
        out -> {
          for (int i = 0; i < 1001; i++) {
            reply(out, 7, INFO, new byte[] {0, 77});
          }
        });
  }

  private static void assertViolation(String message, RawClient.Writer script) {
    assertThatThrownBy(() -> converse(script))
        .isInstanceOf(NbdException.class)
        .hasMessageContaining(message);
  }

  private static void assertGoViolation(String message, RawClient.Writer script) {
    assertViolation(
        message,
        out -> {
          greeting(out, 3);
          reply(out, 8, UNSUP, new byte[0]);
          script.write(out);
        });
  }
}
