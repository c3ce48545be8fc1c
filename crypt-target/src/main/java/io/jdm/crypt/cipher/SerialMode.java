package io.jdm.crypt.cipher;

import java.util.Arrays;

/**
 * Modes in which a block of a sector needs the one before. Sectors do not need each other, so block
 * j of all sectors of a run goes through the block cipher in one call: several times as fast as one
 * sector after the other wherever the cipher is pipelined or a call is dear.
 */
abstract class SerialMode extends ChainMode {
  /** The value that chains to the next block, one block for each sector. */
  final byte[] chain;

  /** What the block cipher is given, and what it gives back; one block for each sector. */
  final byte[] before;

  final byte[] after;

  SerialMode(int sectorSize, BlockCipher cipher) {
    super(sectorSize, cipher, cipher.blockSize(), SERIAL_RUN);
    int blocks = SERIAL_RUN / sectorSize * blockSize;
    chain = new byte[blocks];
    before = new byte[blocks];
    after = new byte[blocks];
  }

  /** Makes the IVs of a run the chain values, and says how many bytes they are. */
  final int start(byte[] ivs, int iv, int run) {
    int width = run / sectorSize * blockSize;
    System.arraycopy(ivs, iv, chain, 0, width);
    return width;
  }

  @Override
  public void close() {
    super.close();
    Arrays.fill(chain, (byte) 0);
    Arrays.fill(before, (byte) 0);
    Arrays.fill(after, (byte) 0);
  }
}
