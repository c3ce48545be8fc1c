package io.jdm.crypt.engine.conscrypt;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.engine.jce.JceBlockCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.security.Provider;
import java.util.Arrays;

/**
 * AES of Conscrypt. A call costs seven times what one of SunJCE costs and copies whole arrays
 * whatever part is used (engines.md): short runs go to another block cipher, long ones in arrays
 * exactly as long as the data, and only by {@code update}, since {@code doFinal} sets the key anew.
 */
final class ConscryptAes extends JceBlockCipher {
  private static final int BLOCK = 16;
  private static final int MAXIMUM_RUN = 16 * 1024;

  /** Bytes below which the other cipher is faster. */
  private static final int SHORT = 512;

  private final BlockCipher forShortRuns;
  private final byte[][] inputs = new byte[Integer.SIZE][];
  private final byte[][] outputs = new byte[Integer.SIZE][];

  /**
   * @param forShortRuns with the same key; closed with this
   */
  ConscryptAes(Provider provider, KeyMaterial key, BlockCipher forShortRuns)
      throws EngineException {
    super(provider, "AES", key, BLOCK);
    this.forShortRuns = forShortRuns;
  }

  @Override
  public void encrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    if (isExact(in, out, length)) {
      super.encrypt(in, 0, out, 0, length);
    } else {
      transform(true, in, inOffset, out, outOffset, length);
    }
  }

  @Override
  public void decrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    if (isExact(in, out, length)) {
      super.decrypt(in, 0, out, 0, length);
    } else {
      transform(false, in, inOffset, out, outOffset, length);
    }
  }

  private void transform(
      boolean encrypt, byte[] in, int inOffset, byte[] out, int outOffset, int length) {
    int done = 0;
    while (length - done >= SHORT) {
      int run = Integer.highestOneBit(Math.min(length - done, MAXIMUM_RUN));
      byte[] input = array(inputs, run);
      byte[] output = array(outputs, run);
      System.arraycopy(in, inOffset + done, input, 0, run);
      if (encrypt) {
        super.encrypt(input, 0, output, 0, run);
      } else {
        super.decrypt(input, 0, output, 0, run);
      }
      System.arraycopy(output, 0, out, outOffset + done, run);
      done += run;
    }
    int rest = length - done;
    if (rest > 0 && encrypt) {
      forShortRuns.encrypt(in, inOffset + done, out, outOffset + done, rest);
    } else if (rest > 0) {
      forShortRuns.decrypt(in, inOffset + done, out, outOffset + done, rest);
    }
  }

  private static boolean isExact(byte[] in, byte[] out, int length) {
    return length >= SHORT
        && length <= MAXIMUM_RUN
        && in.length == length
        && out.length == length
        && in != out;
  }

  private static byte[] array(byte[][] bySize, int run) {
    int size = Integer.numberOfTrailingZeros(run);
    byte[] array = bySize[size];
    if (array == null) {
      array = new byte[run];
      bySize[size] = array;
    }
    return array;
  }

  @Override
  public void close() {
    super.close();
    forShortRuns.close();
    for (int size = 0; size < inputs.length; size++) {
      if (inputs[size] != null) {
        Arrays.fill(inputs[size], (byte) 0);
        Arrays.fill(outputs[size], (byte) 0);
      }
    }
  }
}
