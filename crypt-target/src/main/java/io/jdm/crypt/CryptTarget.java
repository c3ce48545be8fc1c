package io.jdm.crypt;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Capability;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.blockdev.Limits;
import io.jdm.blockdev.Sectors;
import io.jdm.blockdev.io.WorkerPool;
import io.jdm.crypt.CryptOptions.Flag;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.crypt.key.KeyText;
import io.jdm.crypt.key.Keyring;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.BackingDevice;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Encrypts what is written through it and decrypts what is read; what lies below is byte for byte
 * what the kernel's dm-crypt writes (source: spec/dm-crypt.md).
 *
 * <p>Ciphertext passes through a small aligned buffer of the worker: read into it and decrypted to
 * the caller's buffer, or encrypted into it and written from it. So any kind of caller's buffer
 * costs the same, and what a caller writes is never changed. Small requests are done by the thread
 * that asks; large ones are cut into pieces that stay in a processor's cache, and workers named
 * {@code kcryptd/NAME} do them beside the caller.
 */
final class CryptTarget extends Target {
  private static final String UNKNOWN_MESSAGE = "unrecognised message received.";

  /** Bytes of the pieces of a large request. */
  private static final int PIECE = Converter.MAX_LENGTH;

  private final CryptConfig config;
  private final long ivOffset;
  private final BackingDevice backing;
  private final BlockDevice below;
  private final long offset;
  private final Limits limits;
  private final Keyring keyring;
  private final WorkerPool workers;
  private final boolean parallelReads;
  private final boolean parallelWrites;
  private final boolean ordered;

  /** Null while there is no valid key. */
  private volatile ActiveKey active;

  /** {@code TYPE:DESCRIPTION} of the key in the keyring, or null. */
  private volatile String reference;

  private volatile boolean suspended;

  /**
   * @param ivOffset in 512-byte sectors, any 64 bits
   * @param sectorOffset where the data begins below, in 512-byte sectors
   * @param reference of the key in the keyring, or null
   * @param active the key, which belongs to the target from now on
   */
  CryptTarget(
      String deviceName,
      CryptConfig config,
      long ivOffset,
      BackingDevice backing,
      long sectorOffset,
      Keyring keyring,
      String reference,
      ActiveKey active) {
    this.config = config;
    this.ivOffset = ivOffset;
    this.backing = backing;
    this.below = backing.device();
    this.offset = Sectors.toBytes(sectorOffset);
    this.limits = below.limits().withLogicalBlockSize(config.sectorSize());
    this.keyring = keyring;
    this.reference = reference;
    this.active = active;
    CryptOptions options = config.options();
    boolean alone = options.has(Flag.SAME_CPU_CRYPT);
    this.parallelReads = !alone && !options.has(Flag.NO_READ_WORKQUEUE);
    this.parallelWrites = !alone && !options.has(Flag.NO_WRITE_WORKQUEUE);
    this.ordered = !options.has(Flag.SUBMIT_FROM_CRYPT_CPUS);
    this.workers =
        new WorkerPool(
            "kcryptd/" + deviceName,
            parallelReads || parallelWrites ? WorkerPool.defaultWorkers() : 0,
            options.has(Flag.HIGH_PRIORITY) ? Thread.MAX_PRIORITY : Thread.NORM_PRIORITY);
  }

  @Override
  public void read(long offset, ByteBuffer dst) throws IOException {
    ActiveKey key = requireKey();
    int index = dst.position();
    int length = dst.remaining();
    if (length <= PIECE) {
      readPiece(key, offset, dst, index, length);
    } else if (parallelReads) {
      workers.run(
          pieces(length),
          i -> readPiece(key, offset + start(i), dst, index + start(i), pieceLength(i, length)));
    } else {
      for (int i = 0; i < pieces(length); i++) {
        readPiece(key, offset + start(i), dst, index + start(i), pieceLength(i, length));
      }
    }
    dst.position(index + length);
  }

  private void readPiece(ActiveKey key, long offset, ByteBuffer dst, int index, int length)
      throws IOException {
    Converter converter = key.lease();
    boolean done = false;
    try {
      ByteBuffer ciphertext = converter.buffer(length);
      below.read(this.offset + offset, ciphertext);
      converter.decrypt(sector(offset), ciphertext, 0, dst, index, length);
      done = true;
    } finally {
      giveBack(key, converter, done);
    }
  }

  @Override
  public void write(long offset, ByteBuffer src, boolean fua) throws IOException {
    ActiveKey key = requireKey();
    int index = src.position();
    int length = src.remaining();
    if (length <= PIECE) {
      writePiece(key, offset, src, index, length, fua);
    } else {
      writePieces(key, offset, src, index, length);
      if (fua) {
        below.flush();
      }
    }
    src.position(index + length);
  }

  private void writePieces(ActiveKey key, long offset, ByteBuffer src, int index, int length)
      throws IOException {
    if (!parallelWrites) {
      for (int i = 0; i < pieces(length); i++) {
        writePiece(key, offset + start(i), src, index + start(i), pieceLength(i, length), false);
      }
    } else if (!ordered) {
      workers.run(
          pieces(length),
          i ->
              writePiece(
                  key, offset + start(i), src, index + start(i), pieceLength(i, length), false));
    } else {
      WriteOrder order = new WriteOrder();
      workers.run(
          pieces(length),
          i ->
              writeInTurn(
                  key, offset + start(i), src, index + start(i), pieceLength(i, length), order, i));
    }
  }

  private void writePiece(
      ActiveKey key, long offset, ByteBuffer src, int index, int length, boolean fua)
      throws IOException {
    Converter converter = key.lease();
    boolean done = false;
    try {
      ByteBuffer ciphertext = converter.buffer(length);
      converter.encrypt(sector(offset), src, index, ciphertext, 0, length);
      if (fua) {
        below.writeFua(this.offset + offset, ciphertext);
      } else {
        below.write(this.offset + offset, ciphertext);
      }
      done = true;
    } finally {
      giveBack(key, converter, done);
    }
  }

  private void writeInTurn(
      ActiveKey key,
      long offset,
      ByteBuffer src,
      int index,
      int length,
      WriteOrder order,
      int piece)
      throws IOException {
    boolean done = false;
    Converter converter = null;
    try {
      converter = key.lease();
      ByteBuffer ciphertext = converter.buffer(length);
      converter.encrypt(sector(offset), src, index, ciphertext, 0, length);
      if (order.await(piece)) {
        below.write(this.offset + offset, ciphertext);
        order.written(piece);
      }
      done = true;
    } finally {
      if (!done) {
        order.fail();
      }
      if (converter != null) {
        giveBack(key, converter, done);
      }
    }
  }

  /** After a failure the state of the ciphers is not known, and the buffer may hold plaintext. */
  private static void giveBack(ActiveKey key, Converter converter, boolean good) {
    if (good) {
      key.giveBack(converter);
    } else {
      converter.close();
    }
  }

  private static int pieces(int length) {
    return (length - 1) / PIECE + 1;
  }

  private static int start(int piece) {
    return piece * PIECE;
  }

  private static int pieceLength(int piece, int length) {
    return Math.min(PIECE, length - start(piece));
  }

  /** The kernel's {@code cc_sector} of a byte of the target. */
  private long sector(long offset) {
    return Sectors.fromBytes(offset) + ivOffset;
  }

  private ActiveKey requireKey() throws DeviceException {
    ActiveKey key = active;
    if (key == null) {
      throw new DeviceException(
          Errno.EIO, "the key of the crypt target on " + below.describe() + " is wiped");
    }
    return key;
  }

  @Override
  public void flush() throws IOException {
    below.flush();
  }

  @Override
  public boolean supportsDiscard() {
    return config.options().has(Flag.ALLOW_DISCARDS)
        && below.capabilities().contains(Capability.DISCARD);
  }

  @Override
  public void discard(long offset, long length) throws IOException {
    below.discard(this.offset + offset, length);
  }

  @Override
  public Limits limits() {
    return limits;
  }

  @Override
  public String table(boolean showKeys) {
    return config.spec().text()
        + " "
        + keyText(showKeys)
        + " "
        + Long.toUnsignedString(ivOffset)
        + " "
        + backing.argument()
        + " "
        + Sectors.fromBytes(offset)
        + config.options().table();
  }

  /**
   * The key as {@code table} prints it. What hides a key is dmsetup, which writes zeros over every
   * character, also over a lone hyphen, but not over a reference into the keyring.
   */
  private String keyText(boolean show) {
    int size = config.geometry().keySize();
    if (reference != null) {
      return ":" + size + ":" + reference;
    }
    if (size == 0) {
      return show ? "-" : "0";
    }
    ActiveKey key = active;
    return show && key != null ? hex(key.key()) : "0".repeat(2 * size);
  }

  private static String hex(KeyMaterial key) {
    StringBuilder hex = new StringBuilder(2 * key.size());
    ByteBuffer bytes = key.exposeBuffer();
    while (bytes.hasRemaining()) {
      int b = bytes.get();
      hex.append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
    }
    return hex.toString();
  }

  /** {@code key set KEY} and {@code key wipe}, both only while suspended. */
  @Override
  public String message(Arguments words) throws TargetException {
    if (words.count() < 2 || !words.next("message", UNKNOWN_MESSAGE).equalsIgnoreCase("key")) {
      throw unknownMessage(words);
    }
    if (!suspended) {
      throw words.error("not suspended during key manipulation.", "");
    }
    String verb = words.next("message", UNKNOWN_MESSAGE);
    if (words.remaining() == 1 && verb.equalsIgnoreCase("set")) {
      setKey(words);
    } else if (words.remaining() == 0 && verb.equalsIgnoreCase("wipe")) {
      reference = null;
      dropKey();
    } else {
      throw unknownMessage(words);
    }
    return "";
  }

  private static TargetException unknownMessage(Arguments words) {
    return words.error(UNKNOWN_MESSAGE, "expected 'key set KEY' or 'key wipe'");
  }

  /** The kernel logs nothing when it refuses a key here, so our words stand alone. */
  private void setKey(Arguments words) throws TargetException {
    try (KeyText text = KeyText.take(words, UNKNOWN_MESSAGE)) {
      int size = config.geometry().keySize();
      if (text.size() != size) {
        throw KeyText.keyError("the key has " + text.size() + " bytes, expected " + size);
      }
      KeyMaterial key;
      if (text.reference() == null) {
        // As in the kernel, what is not a key leaves none behind, unless the keyring refuses it.
        reference = null;
        dropKey();
        key = text.resolve(keyring);
      } else {
        key = text.resolve(keyring);
        dropKey();
      }
      active = new ActiveKey(config, key);
      reference = text.reference();
    } catch (TargetException e) {
      throw new TargetException(e.errno(), "", e.getMessage(), e);
    }
  }

  private void dropKey() {
    ActiveKey old = active;
    active = null;
    if (old != null) {
      old.close();
    }
  }

  @Override
  public void postsuspend() {
    suspended = true;
  }

  @Override
  public void preresume() throws TargetException {
    if (active == null) {
      throw new TargetException(
          Errno.EAGAIN, "aborting resume - crypt key is not set.", "expected 'key set KEY' first");
    }
  }

  @Override
  public void resume() {
    suspended = false;
  }

  @Override
  public void close() {
    workers.close();
    dropKey();
  }
}
