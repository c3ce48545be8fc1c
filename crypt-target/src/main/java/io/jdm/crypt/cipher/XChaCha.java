package io.jdm.crypt.cipher;

import java.util.Arrays;

/**
 * XChaCha with 12 or 20 rounds, as adiantum uses it (spec/dm-crypt.md section 4.14): a 24-byte
 * nonce, of which HChaCha turns 16 bytes into a sub-key, and a 64-bit block counter that starts at
 * 0. Key streams of many sectors are made at once. Not thread-safe.
 */
final class XChaCha {
  private static final int KEY_WORDS = 8;

  private final int rounds;
  private final int[] key = new int[KEY_WORDS];
  private final int[][] state;
  private final int[][] subKeys;
  private final int maximumLanes;

  /**
   * @param cipher {@code xchacha12} or {@code xchacha20}
   * @param key 32 bytes, copied
   * @param maximumLanes blocks of key stream that can be made at once
   */
  XChaCha(String cipher, byte[] key, int maximumLanes) {
    rounds = Integer.parseInt(cipher.substring("xchacha".length()));
    for (int i = 0; i < KEY_WORDS; i++) {
      this.key[i] = Words.le32(key, 4 * i);
    }
    this.maximumLanes = maximumLanes;
    state = new int[ChaCha.WORDS][maximumLanes];
    subKeys = new int[KEY_WORDS][maximumLanes];
  }

  /**
   * Masks the first bytes of every sector with its key stream.
   *
   * @param nonces the first 16 bytes of each sector's nonce, one after the other
   * @param nonceTail byte 16 of every nonce; bytes 17 to 23 are zero
   * @param in sectors
   * @param out where the masked bytes go; another array
   * @param sectors how many; together at most as many blocks as there are lanes
   * @param stride bytes from one sector to the next
   * @param length bytes to mask, a multiple of 4
   */
  void mask(
      byte[] nonces, int nonceTail, byte[] in, byte[] out, int sectors, int stride, int length) {
    deriveSubKeys(nonces, sectors);
    int blocks = (length + ChaCha.BLOCK - 1) / ChaCha.BLOCK;
    int lanes = sectors * blocks;
    if (lanes > maximumLanes) {
      throw new IllegalArgumentException(lanes + " blocks for " + maximumLanes + " lanes");
    }
    for (int word = 0; word < 4; word++) {
      Arrays.fill(state[word], 0, lanes, ChaCha.constant(word));
    }
    for (int word = 0; word < KEY_WORDS; word++) {
      for (int sector = 0; sector < sectors; sector++) {
        int lane = sector * blocks;
        Arrays.fill(state[4 + word], lane, lane + blocks, subKeys[word][sector]);
      }
    }
    for (int lane = 0; lane < lanes; lane++) {
      state[12][lane] = lane % blocks;
    }
    Arrays.fill(state[13], 0, lanes, 0);
    Arrays.fill(state[14], 0, lanes, nonceTail);
    Arrays.fill(state[15], 0, lanes, 0);
    ChaCha.permute(state, lanes, rounds);
    addStart(sectors, blocks, nonceTail);
    for (int word = 0; word < ChaCha.WORDS; word++) {
      int[] stream = state[word];
      for (int sector = 0; sector < sectors; sector++) {
        int end = sector * stride + length;
        int lane = sector * blocks;
        for (int at = sector * stride + 4 * word; at < end; at += ChaCha.BLOCK) {
          Words.le32(out, at, Words.le32(in, at) ^ stream[lane++]);
        }
      }
    }
  }

  /** HChaCha of every nonce. */
  private void deriveSubKeys(byte[] nonces, int sectors) {
    for (int word = 0; word < 4; word++) {
      Arrays.fill(state[word], 0, sectors, ChaCha.constant(word));
    }
    for (int word = 0; word < KEY_WORDS; word++) {
      Arrays.fill(state[4 + word], 0, sectors, key[word]);
    }
    for (int word = 0; word < 4; word++) {
      for (int sector = 0; sector < sectors; sector++) {
        state[12 + word][sector] = Words.le32(nonces, 16 * sector + 4 * word);
      }
    }
    ChaCha.permute(state, sectors, rounds);
    for (int word = 0; word < 4; word++) {
      System.arraycopy(state[word], 0, subKeys[word], 0, sectors);
      System.arraycopy(state[12 + word], 0, subKeys[4 + word], 0, sectors);
    }
  }

  private void addStart(int sectors, int blocks, int nonceTail) {
    int lanes = sectors * blocks;
    for (int word = 0; word < 4; word++) {
      add(state[word], 0, lanes, ChaCha.constant(word));
    }
    for (int word = 0; word < KEY_WORDS; word++) {
      for (int sector = 0; sector < sectors; sector++) {
        add(state[4 + word], sector * blocks, (sector + 1) * blocks, subKeys[word][sector]);
      }
    }
    for (int lane = 0; lane < lanes; lane++) {
      state[12][lane] += lane % blocks;
    }
    add(state[14], 0, lanes, nonceTail);
  }

  private static void add(int[] words, int from, int to, int value) {
    for (int i = from; i < to; i++) {
      words[i] += value;
    }
  }

  void wipe() {
    Arrays.fill(key, 0);
    for (int[] words : state) {
      Arrays.fill(words, 0);
    }
    for (int[] words : subKeys) {
      Arrays.fill(words, 0);
    }
  }
}
