package io.jdm.crypt.cipher;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Byte arrays seen as 32- and 64-bit words, in the shapes that the JIT compiler turns into moves.
 */
final class Words {
  private static final VarHandle LE_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BE_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LE_INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private Words() {}

  static long le64(byte[] bytes, int index) {
    return (long) LE_LONG.get(bytes, index);
  }

  static void le64(byte[] bytes, int index, long value) {
    LE_LONG.set(bytes, index, value);
  }

  static long be64(byte[] bytes, int index) {
    return (long) BE_LONG.get(bytes, index);
  }

  static void be64(byte[] bytes, int index, long value) {
    BE_LONG.set(bytes, index, value);
  }

  static int le32(byte[] bytes, int index) {
    return (int) LE_INT.get(bytes, index);
  }

  static void le32(byte[] bytes, int index, int value) {
    LE_INT.set(bytes, index, value);
  }

  /**
   * {@code target ^= mask} over the first bytes of both. The same index in both arrays is what lets
   * C2 vectorise: with two different ones it runs twenty times slower (engines.md).
   */
  static void xor(byte[] target, byte[] mask, int length) {
    for (int i = 0; i < length; i++) {
      target[i] ^= mask[i];
    }
  }
}
