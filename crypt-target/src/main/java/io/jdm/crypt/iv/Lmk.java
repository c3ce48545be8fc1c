package io.jdm.crypt.iv;

import io.jdm.crypt.key.KeyMaterial;
import io.jdm.mapper.TargetException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * {@code lmk}, loop-AES's: the IV is the MD5 chaining state of the plaintext behind its first block
 * and of the sector (source: spec/dm-crypt.md section 4.7). With a 65th key ("v3") that key's first
 * 16 bytes are hashed before the data, else ("v2") nothing is.
 *
 * <p>When decrypting, the plaintext is not there yet. A zero IV gives all of it but the first
 * block, which lacks the xor with the IV.
 */
final class Lmk implements IvMode {
  private static final int SECTOR_SIZE = 512;
  private static final int FIRST_HASHED = 16;
  private static final int BITS_HASHED = 4024;

  static final IvType TYPE =
      new IvType("lmk") {
        @Override
        public KeyLayout layout(IvGeometry geometry) {
          int keyCount = geometry.keyCount();
          if (geometry.keySize() % keyCount == 0) {
            return KeyLayout.extraAtEnd(geometry, 0);
          }
          int seedKeySize = geometry.keySize() / (keyCount + 1);
          int subKeySize = (geometry.keySize() - seedKeySize) / keyCount;
          return new KeyLayout(subKeySize, keyCount * seedKeySize, seedKeySize);
        }

        @Override
        public void check(IvGeometry geometry) throws TargetException {
          if (geometry.sectorSize() != SECTOR_SIZE) {
            throw refusal("Unsupported sector size for LMK: " + geometry.sectorSize());
          }
          if (geometry.ivSize() > Md5State.SIZE) {
            throw refusal("an lmk IV has 16 bytes, " + geometry.mode() + " wants more");
          }
        }

        @Override
        public IvMode create(IvKeys keys) {
          return new Lmk(keys.geometry().ivSize(), keys.extraKey());
        }
      };

  private final int ivSize;
  private final Md5State initial = new Md5State();
  private final Md5State state = new Md5State();
  private final int[] block = new int[Md5State.BLOCK_WORDS];
  private final byte[] iv = new byte[Md5State.SIZE];

  private Lmk(int ivSize, KeyMaterial seedKey) {
    this.ivSize = ivSize;
    if (seedKey.size() > 0) {
      // The seed is 16 bytes of a block of zeros.
      byte[] seed = new byte[Md5State.SIZE];
      seedKey.exposeBuffer().get(0, seed, 0, Math.min(seed.length, seedKey.size()));
      for (int i = 0; i < seed.length / Integer.BYTES; i++) {
        block[i] = Words.getLeInt(seed, Integer.BYTES * i);
      }
      Arrays.fill(seed, (byte) 0);
      initial.compress(block);
      Arrays.fill(block, 0);
    }
  }

  /** The IVs for decryption; {@link #beforeEncrypt} replaces them for encryption. */
  @Override
  public void fill(long sector, long step, int count, byte[] ivs) {
    Arrays.fill(ivs, 0, count * ivSize, (byte) 0);
  }

  @Override
  public boolean touchesData() {
    return true;
  }

  @Override
  public void beforeEncrypt(long sector, ByteBuffer data, int index, byte[] ivs, int ivIndex) {
    hash(sector, data, index);
    System.arraycopy(iv, 0, ivs, ivIndex, ivSize);
  }

  @Override
  public void afterDecrypt(long sector, ByteBuffer data, int index) {
    hash(sector, data, index);
    for (int i = 0; i < ivSize; i++) {
      data.put(index + i, (byte) (data.get(index + i) ^ iv[i]));
    }
  }

  private void hash(long sector, ByteBuffer data, int index) {
    state.set(initial);
    int word = 0;
    for (int i = FIRST_HASHED; i < SECTOR_SIZE; i += Integer.BYTES) {
      word = add(word, Words.getLeInt(data, index + i));
    }
    word = add(word, (int) sector);
    word = add(word, ((int) (sector >>> 32) & 0xffffff) | 0x80000000);
    word = add(word, BITS_HASHED);
    add(word, 0);
    state.get(iv);
    Arrays.fill(block, 0);
  }

  private int add(int word, int value) {
    block[word] = value;
    if (word < Md5State.BLOCK_WORDS - 1) {
      return word + 1;
    }
    state.compress(block);
    return 0;
  }

  @Override
  public void close() {
    initial.reset();
    state.reset();
    Arrays.fill(iv, (byte) 0);
  }
}
