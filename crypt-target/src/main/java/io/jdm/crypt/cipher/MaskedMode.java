package io.jdm.crypt.cipher;

import java.util.Arrays;

/**
 * Modes that mask each block with a value of its own before and after the block cipher: {@code C =
 * E(P xor T) xor T}. All blocks are independent.
 */
abstract class MaskedMode extends ChainMode {
  private static final int BLOCK = 16;

  private final byte[] masks;

  MaskedMode(int sectorSize, BlockCipher cipher) {
    super(sectorSize, cipher, BLOCK, PARALLEL_RUN);
    masks = new byte[PARALLEL_RUN];
  }

  /**
   * Makes the masks of all blocks of a run and applies them to its data: in one pass, which is
   * faster than one after the other wherever measured.
   */
  abstract void mask(byte[] ivs, int iv, byte[] data, byte[] masks);

  @Override
  final void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int run = in.length;
    mask(ivs, iv, in, masks);
    cipher.encrypt(in, 0, out, 0, run);
    Words.xor(out, masks, run);
  }

  @Override
  final void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int run = in.length;
    mask(ivs, iv, in, masks);
    cipher.decrypt(in, 0, out, 0, run);
    Words.xor(out, masks, run);
  }

  @Override
  public void close() {
    super.close();
    Arrays.fill(masks, (byte) 0);
  }
}
