package io.jdm.nbd;

import io.jdm.blockdev.Errno;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Replies of the transmission phase (spec/nbd.md section 2): encoders that put one at an index of a
 * buffer, and a decoder of their headers into fields, so that neither allocates. Not thread-safe.
 */
public final class Reply {
  /** Bytes of a simple reply's header. */
  public static final int SIMPLE = 16;

  /** Bytes of a chunk's header. */
  public static final int CHUNK = 20;

  /** Bytes of the header of data in a structured reply: the chunk's and the offset. */
  public static final int DATA_CHUNK = CHUNK + Long.BYTES;

  /** Most bytes of the text of an error. */
  public static final int MAX_MESSAGE = 1024;

  /** Most bytes of an error chunk. */
  public static final int MAX_ERROR_CHUNK = CHUNK + 6 + MAX_MESSAGE;

  /** Bytes of the header of block status: the chunk's and the context. */
  public static final int BLOCK_STATUS = CHUNK + Integer.BYTES;

  /** Bytes of an extent of block status. */
  public static final int EXTENT = 2 * Integer.BYTES;

  private static final int SIMPLE_MAGIC = 0x6744_6698;
  private static final int CHUNK_MAGIC = 0x668e_33ef;
  private static final int DONE = 1;

  /** The extent's bit for a hole: it takes no space. */
  public static final int STATE_HOLE = 1;

  /** The extent's bit for zeros. */
  public static final int STATE_ZERO = 2;

  private boolean structured;
  private boolean done;
  private int type;
  private int error;
  private long cookie;
  private long length;

  /** Creates an empty reply. */
  public Reply() {}

  /** Puts a simple reply's header; {@code errno} null for success. */
  public static void putSimple(ByteBuffer out, int at, Errno errno, long cookie) {
    out.putInt(at, SIMPLE_MAGIC);
    out.putInt(at + 4, errno == null ? 0 : wireError(errno));
    out.putLong(at + 8, cookie);
  }

  /** Puts a chunk's header. */
  private static void putChunk(
      ByteBuffer out, int at, boolean done, ChunkType type, long cookie, int length) {
    out.putInt(at, CHUNK_MAGIC);
    out.putShort(at + 4, (short) (done ? DONE : 0));
    out.putShort(at + 6, (short) type.number());
    out.putLong(at + 8, cookie);
    out.putInt(at + 16, length);
  }

  /** Puts a chunk without content that ends a reply: {@value #CHUNK} bytes. */
  public static void putNone(ByteBuffer out, int at, long cookie) {
    putChunk(out, at, true, ChunkType.NONE, cookie, 0);
  }

  /** Puts what stands before {@code length} bytes of data: {@value #DATA_CHUNK} bytes. */
  public static void putData(
      ByteBuffer out, int at, boolean done, long cookie, long offset, int length) {
    putChunk(out, at, done, ChunkType.OFFSET_DATA, cookie, Long.BYTES + length);
    out.putLong(at + CHUNK, offset);
  }

  /**
   * Puts an error chunk that ends a reply.
   *
   * @param message for people; cut to {@value #MAX_MESSAGE} bytes
   * @return bytes put, at most {@link #MAX_ERROR_CHUNK}
   */
  public static int putError(ByteBuffer out, int at, long cookie, Errno errno, String message) {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(text.length, MAX_MESSAGE);
    while (length < text.length && length > 0 && (text[length] & 0xc0) == 0x80) {
      length--;
    }
    putChunk(out, at, true, ChunkType.ERROR, cookie, 6 + length);
    out.putInt(at + CHUNK, wireError(errno));
    out.putShort(at + CHUNK + 4, (short) length);
    out.put(at + CHUNK + 6, text, 0, length);
    return CHUNK + 6 + length;
  }

  /**
   * Puts the header of a block status chunk of base:allocation that ends a reply; its extents
   * follow with {@link #putExtent}: {@value #BLOCK_STATUS} bytes.
   */
  public static void putBlockStatus(ByteBuffer out, int at, long cookie, int extents) {
    putChunk(out, at, true, ChunkType.BLOCK_STATUS, cookie, Integer.BYTES + EXTENT * extents);
    out.putInt(at + CHUNK, ServerHandshake.ALLOCATION_ID);
  }

  /**
   * Puts one extent of block status: {@value #EXTENT} bytes.
   *
   * @param length unsigned
   * @param state bits of {@link #STATE_HOLE} and {@link #STATE_ZERO}
   */
  public static void putExtent(ByteBuffer out, int at, int length, int state) {
    out.putInt(at, length);
    out.putInt(at + 4, state);
  }

  /**
   * Bytes of the header that begins at an index, of which the first 4 are there.
   *
   * @throws NbdException if it is none
   */
  public static int headerSize(ByteBuffer in, int at) throws NbdException {
    int magic = in.getInt(at);
    if (magic == SIMPLE_MAGIC) {
      return SIMPLE;
    }
    if (magic == CHUNK_MAGIC) {
      return CHUNK;
    }
    throw new NbdException(
        "reply magic is 0x%08x, expected 0x%08x or 0x%08x"
            .formatted(magic, SIMPLE_MAGIC, CHUNK_MAGIC));
  }

  /** Reads the header at an index, all {@link #headerSize} bytes of it. */
  public void decode(ByteBuffer in, int at) {
    structured = in.getInt(at) == CHUNK_MAGIC;
    cookie = in.getLong(at + 8);
    if (structured) {
      done = (in.getShort(at + 4) & DONE) != 0;
      type = in.getShort(at + 6) & 0xffff;
      length = in.getInt(at + 16) & 0xffff_ffffL;
      error = 0;
    } else {
      done = true;
      type = 0;
      length = 0;
      error = in.getInt(at + 4);
    }
  }

  /** Whether it is a chunk of a structured reply. */
  public boolean isStructured() {
    return structured;
  }

  /** Whether nothing follows for this cookie. */
  public boolean isDone() {
    return done;
  }

  /** The chunk's type, or null if nobody knows it. */
  public ChunkType type() {
    return ChunkType.of(type);
  }

  /** The chunk's type as a number, for messages. */
  public int typeNumber() {
    return type;
  }

  /** The error of a simple reply; 0 for success. */
  public int error() {
    return error;
  }

  /** What the request had. */
  public long cookie() {
    return cookie;
  }

  /** Bytes of the chunk behind its header, 0 to 2^32 - 1. */
  public long length() {
    return length;
  }

  /** The number of an error on the wire: NBD knows a few, the nearest stands for the others. */
  static int wireError(Errno errno) {
    return switch (errno) {
      case EPERM, EIO, ENOMEM, EINVAL, ENOSPC, EOVERFLOW, EOPNOTSUPP, ESHUTDOWN -> errno.number();
      case EACCES, EROFS -> Errno.EPERM.number();
      case EFBIG -> Errno.ENOSPC.number();
      default -> Errno.EIO.number();
    };
  }

  /** The error of a number on the wire; those that NBD does not have count as EINVAL. */
  public static Errno errno(int wire) {
    return switch (wire) {
      case 1 -> Errno.EPERM;
      case 5 -> Errno.EIO;
      case 12 -> Errno.ENOMEM;
      case 28 -> Errno.ENOSPC;
      case 75 -> Errno.EOVERFLOW;
      case 95 -> Errno.EOPNOTSUPP;
      case 108 -> Errno.ESHUTDOWN;
      default -> Errno.EINVAL;
    };
  }
}
