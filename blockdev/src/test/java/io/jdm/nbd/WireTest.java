package io.jdm.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.blockdev.Errno;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests and replies as bytes: the layouts of spec/nbd.md section 2, written out by hand. */
class WireTest {
  private static final String REQUEST =
      "25609513" + "0005" + "0006" + "0123456789abcdef" + "8000000000000001" + "fffffffe";

  private final ByteBuffer buffer = ByteBuffer.allocate(2048);

  private String hex(int from, int length) {
    return HexFormat.of().formatHex(buffer.array(), from, from + length);
  }

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  @Test
  void aRequestIs28Bytes() throws NbdException {
    Request.encode(
        buffer, 3, 5, Command.WRITE_ZEROES, 0x0123456789abcdefL, 0x8000000000000001L, -2);
    assertThat(hex(3, Request.SIZE)).isEqualTo(REQUEST);
    Request request = new Request();
    request.decode(bytes(REQUEST), 0);
    assertThat(request.flags()).isEqualTo(5);
    assertThat(request.has(CommandFlag.FUA)).isTrue();
    assertThat(request.has(CommandFlag.NO_HOLE)).isFalse();
    assertThat(request.command()).isEqualTo(Command.WRITE_ZEROES);
    assertThat(request.cookie()).isEqualTo(0x0123456789abcdefL);
    assertThat(request.offset()).isEqualTo(0x8000000000000001L);
    assertThat(request.length()).isEqualTo(0xfffffffeL);
    assertThat(request)
        .hasToString("WRITE_ZEROES of 4294967294 bytes at 9223372036854775809 with flags 0x5");
    Request copy = new Request();
    copy.set(request);
    assertThat(copy).hasToString(request.toString());
    assertThat(copy.cookie()).isEqualTo(request.cookie());
  }

  @Test
  void everyBitOfTheRequestMagicCounts() {
    for (int bit = 0; bit < 32; bit++) {
      ByteBuffer in = bytes(REQUEST);
      in.putInt(0, in.getInt(0) ^ 1 << bit);
      assertThatThrownBy(() -> new Request().decode(in, 0))
          .isInstanceOf(NbdException.class)
          .hasMessageContaining("expected 0x25609513");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, READ, 0x05",
    "1, WRITE, 0x01",
    "2, DISC, 0x01",
    "3, FLUSH, 0x01",
    "4, TRIM, 0x01",
    "5, CACHE, 0x01",
    "6, WRITE_ZEROES, 0x13",
    "7, BLOCK_STATUS, 0x09"
  })
  void commandsTakeTheirFlags(int number, Command command, int flags) {
    assertThat(Command.of(number)).isEqualTo(command);
    assertThat(command.number()).isEqualTo(number);
    for (int bit = 0; bit < 16; bit++) {
      assertThat(command.takes(1 << bit)).as("bit %d", bit).isEqualTo((flags & 1 << bit) != 0);
    }
    assertThat(command.takes(flags)).isTrue();
    assertThat(command.takes(0)).isTrue();
  }

  @Test
  void otherCommandsAreUnknown() throws NbdException {
    assertThat(Command.of(8)).isNull();
    assertThat(Command.of(-1)).isNull();
    Request request = new Request();
    request.decode(bytes(REQUEST.replace("00050006", "000500ff")), 0);
    assertThat(request.command()).isNull();
    assertThat(request.toString()).startsWith("command 255 of");
  }

  @Test
  void aSimpleReplyIs16Bytes() throws NbdException {
    Reply.putSimple(buffer, 1, null, 0x0123456789abcdefL);
    assertThat(hex(1, 16)).isEqualTo("67446698" + "00000000" + "0123456789abcdef");
    Reply.putSimple(buffer, 1, Errno.ENOSPC, 2);
    assertThat(hex(1, 16)).isEqualTo("67446698" + "0000001c" + "0000000000000002");
    assertThat(Reply.headerSize(buffer, 1)).isEqualTo(16);
    Reply reply = new Reply();
    reply.decode(buffer, 1);
    assertThat(reply.isStructured()).isFalse();
    assertThat(reply.isDone()).isTrue();
    assertThat(reply.error()).isEqualTo(28);
    assertThat(reply.cookie()).isEqualTo(2);
  }

  @Test
  void chunksHaveA20ByteHeader() throws NbdException {
    Reply.putNone(buffer, 0, 3);
    assertThat(hex(0, 20))
        .isEqualTo("668e33ef" + "0001" + "0000" + "0000000000000003" + "00000000");
    Reply.putData(buffer, 0, false, 4, 0x1_0000_0000L, 512);
    assertThat(hex(0, 28))
        .isEqualTo(
            "668e33ef" + "0000" + "0001" + "0000000000000004" + "00000208" + "0000000100000000");
    assertThat(Reply.headerSize(buffer, 0)).isEqualTo(20);
    Reply reply = new Reply();
    reply.decode(buffer, 0);
    assertThat(reply.isStructured()).isTrue();
    assertThat(reply.isDone()).isFalse();
    assertThat(reply.type()).isEqualTo(ChunkType.OFFSET_DATA);
    assertThat(reply.length()).isEqualTo(520);
    Reply.putBlockStatus(buffer, 0, 5, 1);
    Reply.putExtent(buffer, Reply.BLOCK_STATUS, -1, Reply.STATE_HOLE | Reply.STATE_ZERO);
    assertThat(hex(0, Reply.BLOCK_STATUS + Reply.EXTENT))
        .isEqualTo(
            "668e33ef"
                + "0001"
                + "0005"
                + "0000000000000005"
                + "0000000c"
                + "00000001"
                + "ffffffff"
                + "00000003");
  }

  @Test
  void anErrorChunkCarriesNumberAndText() {
    int length = Reply.putError(buffer, 0, 6, Errno.EIO, "müde");
    assertThat(hex(0, length))
        .isEqualTo(
            "668e33ef"
                + "0001"
                + "8001"
                + "0000000000000006"
                + "0000000b"
                + "00000005"
                + "0005"
                + "6dc3bc6465");
  }

  @Test
  void aLongErrorTextIsCutBetweenCharacters() {
    int length = Reply.putError(buffer, 0, 6, Errno.EIO, "x" + "ü".repeat(1000));
    assertThat(length).isEqualTo(20 + 6 + 1023).isLessThanOrEqualTo(Reply.MAX_ERROR_CHUNK);
    assertThat(buffer.getShort(24)).isEqualTo((short) 1023);
    assertThat(buffer.get(length - 1)).isEqualTo((byte) 0xbc);
  }

  @Test
  void otherMagicsAreNoReply() {
    for (int bit = 0; bit < 32; bit++) {
      buffer.putInt(0, 0x67446698 ^ 1 << bit);
      assertThatThrownBy(() -> Reply.headerSize(buffer, 0)).isInstanceOf(NbdException.class);
      buffer.putInt(0, 0x668e33ef ^ 1 << bit);
      assertThatThrownBy(() -> Reply.headerSize(buffer, 0)).isInstanceOf(NbdException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyErrorGoesOverTheWireAsOneThatNbdHas(Errno errno) {
    int wire = Reply.wireError(errno);
    assertThat(wire).isIn(1, 5, 12, 22, 28, 75, 95, 108);
    assertThat(Reply.errno(wire).number()).isEqualTo(wire);
    if (wire == errno.number()) {
      assertThat(Reply.errno(wire)).isEqualTo(errno);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "EACCES, 1",
    "EROFS, 1",
    "EFBIG, 28",
    "ENODEV, 5",
    "ETIMEDOUT, 5",
    "EINVAL, 22",
    "ENOMEM, 12"
  })
  void errorsThatNbdLacksBecomeTheNearest(Errno errno, int wire) {
    assertThat(Reply.wireError(errno)).isEqualTo(wire);
  }

  @Test
  void errorsThatNbdDoesNotHaveCountAsInvalid() {
    assertThat(Reply.errno(2)).isEqualTo(Errno.EINVAL);
    assertThat(Reply.errno(-1)).isEqualTo(Errno.EINVAL);
  }

  @Test
  void chunkTypesAreKnownByNumber() {
    assertThat(ChunkType.of(0)).isEqualTo(ChunkType.NONE);
    assertThat(ChunkType.of(1)).isEqualTo(ChunkType.OFFSET_DATA);
    assertThat(ChunkType.of(2)).isEqualTo(ChunkType.OFFSET_HOLE);
    assertThat(ChunkType.of(5)).isEqualTo(ChunkType.BLOCK_STATUS);
    assertThat(ChunkType.of(0x8001)).isEqualTo(ChunkType.ERROR);
    assertThat(ChunkType.of(0x8002)).isEqualTo(ChunkType.ERROR_OFFSET);
    assertThat(ChunkType.of(0x8123)).as("unknown error").isEqualTo(ChunkType.ERROR);
    assertThat(ChunkType.of(3)).isNull();
  }

  @Test
  void transmissionFlagsAreOneWord() {
    assertThat(TransmissionFlag.toWord(EnumSet.allOf(TransmissionFlag.class)))
        .isEqualTo((short) 0xdff);
    // What qemu-nbd 7.2 sends for a writable raw file: spec/nbd.md section 1.4.
    assertThat(TransmissionFlag.ofWord(0x0ded))
        .containsExactlyInAnyOrder(
            TransmissionFlag.HAS_FLAGS,
            TransmissionFlag.SEND_FLUSH,
            TransmissionFlag.SEND_FUA,
            TransmissionFlag.SEND_TRIM,
            TransmissionFlag.SEND_WRITE_ZEROES,
            TransmissionFlag.SEND_DF,
            TransmissionFlag.CAN_MULTI_CONN,
            TransmissionFlag.SEND_CACHE,
            TransmissionFlag.SEND_FAST_ZERO);
    assertThat(TransmissionFlag.ofWord(0xf200)).isEmpty();
  }

  @Test
  void blockSizesFollowTheRules() throws NbdException {
    assertThat(BlockSizes.checked(1, 4096, 0xffff_ffffL).maximum()).isEqualTo(BlockSizes.UNLIMITED);
    assertThat(BlockSizes.checked(65_536, 65_536, 65_536).minimum()).isEqualTo(65_536);
    long[][] wrong = {
      {0, 4096, 1 << 25},
      {3, 4096, 1 << 25},
      {131_072, 131_072, 1 << 25},
      {-1, 4096, 1 << 25},
      {1, 256, 1 << 25},
      {1, 5000, 1 << 25},
      {1, 0x8000_0000L, 0xffff_ffffL},
      {8192, 4096, 1 << 25},
      {1, 4096, 4095},
    };
    for (long[] sizes : wrong) {
      assertThatThrownBy(() -> BlockSizes.checked((int) sizes[0], (int) sizes[1], sizes[2]))
          .as("%d %d %d", sizes[0], sizes[1], sizes[2])
          .isInstanceOf(NbdException.class);
    }
  }
}
