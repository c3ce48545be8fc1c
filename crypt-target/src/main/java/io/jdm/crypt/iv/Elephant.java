package io.jdm.crypt.iv;

import io.jdm.blockdev.Errno;
import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * {@code elephant}, BitLocker's cipher with the diffuser: eboiv's IV, and on the plaintext a key
 * stream from a second AES key and two diffusers (source: spec/dm-crypt.md section 4.10).
 */
final class Elephant implements IvMode {
  private static final int MAX_KEY_SIZE = 32;
  private static final int STREAM_SIZE = 32;
  private static final int[] ROTATIONS_A = {9, 0, 13, 0};
  private static final int[] ROTATIONS_B = {0, 10, 0, 25};
  private static final int CYCLES_A = 5;
  private static final int CYCLES_B = 3;

  static final IvType TYPE =
      new IvType("elephant") {
        @Override
        public KeyLayout layout(IvGeometry geometry) throws TargetException {
          int extra = geometry.keySize() / 2;
          if (extra > MAX_KEY_SIZE) {
            // The kernel sets no text of its own here.
            throw new TargetException(
                Errno.EINVAL,
                "Unknown error",
                "half of an elephant key is at most 32 bytes, this is " + extra);
          }
          return KeyLayout.extraAtEnd(geometry, extra);
        }

        @Override
        public void check(IvGeometry geometry) throws TargetException {
          Eboiv.checkBlockSize(geometry);
        }

        @Override
        public IvMode create(IvKeys keys) throws IOException {
          int size = keys.extraKey().size();
          if (!Ciphers.validKeySize("aes", size)) {
            throw new TargetException(
                Errno.EINVAL,
                "Error initialising IV",
                "half of an elephant key is an AES key, not " + size + " bytes");
          }
          return new Elephant(keys);
        }
      };

  private final IvMode eboiv;
  private final BlockCipher aes;
  private final int sectorSize;
  private final int[] words;
  private final byte[] stream = new byte[STREAM_SIZE];

  private Elephant(IvKeys keys) throws IOException {
    sectorSize = keys.geometry().sectorSize();
    words = new int[sectorSize / Integer.BYTES];
    aes = keys.blockCipher("aes", keys.extraKey());
    eboiv = Eboiv.create(keys);
  }

  @Override
  public void fill(long sector, long step, int count, byte[] ivs) throws IOException {
    eboiv.fill(sector, step, count, ivs);
  }

  @Override
  public boolean touchesData() {
    return true;
  }

  @Override
  public void beforeEncrypt(long sector, ByteBuffer data, int index, byte[] ivs, int ivIndex) {
    load(data, index);
    xorStream(sector);
    for (int i = 0; i < CYCLES_A; i++) {
      encrypt(-1, ROTATIONS_A);
    }
    for (int i = 0; i < CYCLES_B; i++) {
      encrypt(1, ROTATIONS_B);
    }
    store(data, index);
  }

  @Override
  public void afterDecrypt(long sector, ByteBuffer data, int index) {
    load(data, index);
    for (int i = 0; i < CYCLES_B; i++) {
      decrypt(1, ROTATIONS_B);
    }
    for (int i = 0; i < CYCLES_A; i++) {
      decrypt(-1, ROTATIONS_A);
    }
    xorStream(sector);
    store(data, index);
  }

  private void load(ByteBuffer data, int index) {
    for (int i = 0; i < words.length; i++) {
      words[i] = Words.getLeInt(data, index + Integer.BYTES * i);
    }
  }

  private void store(ByteBuffer data, int index) {
    for (int i = 0; i < words.length; i++) {
      Words.putLeInt(data, index + Integer.BYTES * i, words[i]);
    }
    Arrays.fill(words, 0);
  }

  private void xorStream(long sector) {
    long offset = sector * sectorSize;
    Words.putLe(stream, 0, offset);
    Words.putLe(stream, 8, 0);
    Words.putLe(stream, 16, offset);
    Words.putLe(stream, 24, 0);
    stream[STREAM_SIZE - 1] = (byte) 0x80;
    aes.encrypt(stream, 0, stream, 0, STREAM_SIZE);
    for (int i = 0; i < words.length; i++) {
      words[i] ^= Words.getLeInt(stream, (Integer.BYTES * i) % STREAM_SIZE);
    }
  }

  /**
   * One cycle of diffuser A (direction -1: each word changes with those 2 and 5 before it) or B
   * (direction 1: behind it). Indices wrap around; the number of words is a power of two.
   */
  private void decrypt(int direction, int[] rotations) {
    int mask = words.length - 1;
    for (int i = 0; i <= mask; i++) {
      int far = Integer.rotateLeft(words[(i + 5 * direction) & mask], rotations[i & 3]);
      words[i] += words[(i + 2 * direction) & mask] ^ far;
    }
  }

  /** The inverse cycle. */
  private void encrypt(int direction, int[] rotations) {
    int mask = words.length - 1;
    for (int i = mask; i >= 0; i--) {
      int far = Integer.rotateLeft(words[(i + 5 * direction) & mask], rotations[i & 3]);
      words[i] -= words[(i + 2 * direction) & mask] ^ far;
    }
  }

  @Override
  public void close() {
    Arrays.fill(stream, (byte) 0);
    aes.close();
    eboiv.close();
  }
}
