package io.jdm.crypt.cipher;

import java.util.Arrays;

/**
 * Adiantum (spec/dm-crypt.md section 4.14): a sector is one wide block. Its last 16 bytes, mixed
 * with a hash of the rest and the IV, go through the block cipher; the result is the nonce of the
 * stream cipher for the rest, and is mixed with a hash again.
 *
 * <p>The block cipher and the stream cipher work on all sectors of a run at once.
 */
final class Adiantum extends ChainMode {
  private static final int RUN = 8 * 1024;
  private static final int TAIL = 16;
  private static final int IV = 32;
  private static final int NONCE_TAIL = 1;

  private final XChaCha stream;
  private final Poly1305 headerHash;
  private final Poly1305 dataHash;
  private final Nh nh;
  private final int bulk;
  private final byte[] before;
  private final byte[] after;
  private final long[] headers;
  private long hashLow;
  private long hashHigh;

  /**
   * @param key stays the caller's
   * @param cipher with blocks of 16 bytes, keyed with {@link AdiantumKey#blockCipherKey()}; closed
   *     with this
   */
  Adiantum(int sectorSize, AdiantumKey key, BlockCipher cipher) {
    super(sectorSize, cipher, IV, RUN);
    bulk = sectorSize - TAIL;
    stream = key.stream(RUN / ChaCha.BLOCK);
    headerHash = key.headerHash();
    dataHash = key.dataHash();
    nh = key.nh();
    int sectors = RUN / sectorSize;
    before = new byte[sectors * TAIL];
    after = new byte[sectors * TAIL];
    headers = new long[2 * sectors];
  }

  @Override
  void encryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int sectors = in.length / sectorSize;
    hashHeaders(ivs, iv, sectors);
    for (int sector = 0; sector < sectors; sector++) {
      addHash(sector, in, sector * sectorSize + bulk, in, before, sector * TAIL);
    }
    cipher.encrypt(before, 0, after, 0, sectors * TAIL);
    stream.mask(after, NONCE_TAIL, in, out, sectors, sectorSize, bulk);
    for (int sector = 0; sector < sectors; sector++) {
      subtractHash(sector, out, after, sector * TAIL, out, sector * sectorSize + bulk);
    }
  }

  @Override
  void decryptRun(byte[] ivs, int iv, byte[] in, byte[] out) {
    int sectors = in.length / sectorSize;
    hashHeaders(ivs, iv, sectors);
    for (int sector = 0; sector < sectors; sector++) {
      addHash(sector, in, sector * sectorSize + bulk, in, before, sector * TAIL);
    }
    stream.mask(before, NONCE_TAIL, in, out, sectors, sectorSize, bulk);
    cipher.decrypt(before, 0, after, 0, sectors * TAIL);
    for (int sector = 0; sector < sectors; sector++) {
      subtractHash(sector, out, after, sector * TAIL, out, sector * sectorSize + bulk);
    }
  }

  /** The part of the hash that depends on the IV alone, needed twice. */
  private void hashHeaders(byte[] ivs, int iv, int sectors) {
    for (int sector = 0; sector < sectors; sector++) {
      int at = iv + sector * IV;
      headerHash.reset();
      headerHash.block(8L * bulk, 0);
      headerHash.block(Words.le64(ivs, at), Words.le64(ivs, at + 8));
      headerHash.block(Words.le64(ivs, at + 16), Words.le64(ivs, at + 24));
      headerHash.finish();
      headers[2 * sector] = headerHash.low();
      headers[2 * sector + 1] = headerHash.high();
    }
  }

  private void hash(int sector, byte[] data) {
    dataHash.reset();
    int end = sector * sectorSize + bulk;
    for (int at = sector * sectorSize; at < end; at += Nh.PIECE) {
      nh.hash(data, at, Math.min(Nh.PIECE, end - at));
      dataHash.block(nh.sum0(), nh.sum1());
      dataHash.block(nh.sum2(), nh.sum3());
    }
    dataHash.finish();
    long low = headers[2 * sector];
    hashLow = low + dataHash.low();
    hashHigh = headers[2 * sector + 1] + dataHash.high() + carry(hashLow, low);
  }

  private void addHash(int sector, byte[] data, int tail, byte[] tails, byte[] to, int toIndex) {
    hash(sector, data);
    long low = Words.le64(tails, tail);
    long sum = low + hashLow;
    Words.le64(to, toIndex, sum);
    Words.le64(to, toIndex + 8, Words.le64(tails, tail + 8) + hashHigh + carry(sum, low));
  }

  private void subtractHash(
      int sector, byte[] data, byte[] from, int fromIndex, byte[] to, int toIndex) {
    hash(sector, data);
    long low = Words.le64(from, fromIndex);
    long difference = low - hashLow;
    Words.le64(to, toIndex, difference);
    Words.le64(to, toIndex + 8, Words.le64(from, fromIndex + 8) - hashHigh - carry(low, hashLow));
  }

  /** 1 if the first is below the second as unsigned numbers: a carry, or a borrow. */
  private static long carry(long a, long b) {
    return Long.compareUnsigned(a, b) < 0 ? 1 : 0;
  }

  @Override
  public void close() {
    super.close();
    stream.wipe();
    headerHash.wipe();
    dataHash.wipe();
    nh.wipe();
    Arrays.fill(before, (byte) 0);
    Arrays.fill(after, (byte) 0);
    Arrays.fill(headers, 0);
    hashLow = 0;
    hashHigh = 0;
  }
}
