package io.jdm.crypt.iv;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.crypt.cipher.CipherSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What every IV mode owes the data path. */
@ParameterizedClass(name = "{0}")
@MethodSource("samples")
final class IvModeContractTest {
  private static final long SEED = 20261130;
  private static final int COUNT = 40;
  private static final int GUARD = 24;
  private static final long[] SECTORS = {0, 1, 0xfffffff0L, 1L << 40, -3, Long.MIN_VALUE};

  record Sample(String cipher, int keySize, int sectorSize) {}

  static List<Sample> samples() {
    return List.of(
        new Sample("aes-xts-plain", 64, 512),
        new Sample("aes-xts-plain64", 64, 512),
        new Sample("aes-xts-plain64be", 64, 512),
        new Sample("blowfish-cbc-plain64", 16, 512),
        new Sample("blowfish-cbc-plain64be", 16, 512),
        new Sample("xchacha12,aes-adiantum-plain64", 32, 4096),
        new Sample("xchacha12,aes-adiantum-benbi", 32, 512),
        new Sample("aes-ctr-benbi", 16, 4096),
        new Sample("aes-cbc-null", 16, 512),
        new Sample("aes-ecb", 16, 512),
        new Sample("capi:xts(aes)", 32, 512),
        new Sample("aes-cbc-essiv:sha256", 16, 512),
        new Sample("cast5-cbc-essiv:md5", 16, 512),
        new Sample("capi:essiv(cbc(aes),sha256)-benbi", 32, 512),
        new Sample("aes-cbc-eboiv", 32, 4096),
        new Sample("aes-xts-eboiv", 64, 512),
        new Sample("aes-lrw-eboiv", 32, 512),
        new Sample("aes-cbc-elephant", 32, 512),
        new Sample("aes-cbc-elephant", 64, 4096),
        new Sample("aes:64-cbc-lmk", 64 * 16, 512),
        new Sample("aes:64-cbc-lmk", 65 * 32, 512),
        new Sample("blowfish-cbc-lmk", 16, 512),
        new Sample("aes-cbc-tcw", 64, 512),
        new Sample("blowfish-cbc-tcw", 56, 512));
  }

  @Parameter Sample sample;

  private final Random random = new Random(SEED);
  private IvMode mode;
  private int ivSize;

  @BeforeEach
  void open() throws IOException {
    byte[] key = new byte[sample.keySize];
    random.nextBytes(key);
    mode = TestKeys.open(sample.cipher, key, sample.sectorSize, 0);
    ivSize = CipherSpec.parse(sample.cipher).ivSize();
  }

  @AfterEach
  void close() {
    mode.close();
  }

  @Test
  void aRunIsItsSectorsOneByOne() throws IOException {
    for (long sector : SECTORS) {
      for (long step : new long[] {1, 8}) {
        byte[] run = new byte[COUNT * ivSize];
        mode.fill(sector, step, COUNT, run);
        for (int i = 0; i < COUNT; i++) {
          byte[] single = new byte[ivSize];
          mode.fill(sector + i * step, 1, 1, single);
          assertThat(Arrays.copyOfRange(run, i * ivSize, (i + 1) * ivSize)).isEqualTo(single);
        }
      }
    }
  }

  @Test
  void fillsWhatItIsAskedForAndNoMore() throws IOException {
    byte[] zeros = new byte[COUNT * ivSize + GUARD];
    byte[] ones = new byte[COUNT * ivSize + GUARD];
    Arrays.fill(ones, (byte) 0xff);
    mode.fill(77, 1, COUNT, zeros);
    mode.fill(77, 1, COUNT, ones);
    assertThat(Arrays.mismatch(zeros, ones)).isEqualTo(COUNT * ivSize);
    assertThat(Arrays.copyOfRange(zeros, COUNT * ivSize, zeros.length)).containsOnly(0);
    assertThat(Arrays.copyOfRange(ones, COUNT * ivSize, ones.length)).containsOnly(0xff);
  }

  @Test
  void decryptionUndoesWhatEncryptionDidToTheData() throws IOException {
    for (long sector : SECTORS) {
      byte[] plaintext = new byte[sample.sectorSize];
      random.nextBytes(plaintext);
      byte[] after = null;
      for (ByteBuffer data : buffers()) {
        data.put(GUARD, plaintext);
        byte[] iv = new byte[ivSize];
        byte[] encryptionIv = new byte[ivSize];
        mode.fill(sector, 1, 1, encryptionIv);
        mode.beforeEncrypt(sector, data, GUARD, encryptionIv, 0);
        byte[] changed = content(data);
        mode.afterEncrypt(sector, data, GUARD);
        byte[] ciphertext = content(data);
        assertThat(after == null || Arrays.equals(after, ciphertext)).isTrue();
        after = ciphertext;

        mode.beforeDecrypt(sector, data, GUARD);
        assertThat(content(data)).isEqualTo(changed);
        mode.fill(sector, 1, 1, iv);
        // What a cipher in CBC would get wrong of the first block with this IV for that one.
        for (int i = 0; i < ivSize; i++) {
          data.put(GUARD + i, (byte) (data.get(GUARD + i) ^ iv[i] ^ encryptionIv[i]));
        }
        mode.afterDecrypt(sector, data, GUARD);
        assertThat(content(data)).isEqualTo(plaintext);
        if (!mode.touchesData()) {
          assertThat(ciphertext).isEqualTo(plaintext);
          assertThat(iv).isEqualTo(encryptionIv);
        }
        for (int i = 0; i < GUARD; i++) {
          assertThat(data.get(i)).isZero();
          assertThat(data.get(GUARD + sample.sectorSize + i)).isZero();
        }
      }
    }
  }

  private List<ByteBuffer> buffers() {
    int capacity = sample.sectorSize + 2 * GUARD;
    return List.of(
        ByteBuffer.allocate(capacity),
        ByteBuffer.allocateDirect(capacity),
        ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN),
        ByteBuffer.allocateDirect(capacity + 3).slice(3, capacity).order(ByteOrder.LITTLE_ENDIAN));
  }

  private byte[] content(ByteBuffer data) {
    byte[] content = new byte[sample.sectorSize];
    data.get(GUARD, content);
    return content;
  }
}
