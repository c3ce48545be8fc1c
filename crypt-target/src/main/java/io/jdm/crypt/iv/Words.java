package io.jdm.crypt.iv;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Integers in byte arrays and, whatever their own byte order is, in buffers. */
final class Words {
  private static final VarHandle LE_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BE_LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LE_INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BUFFER_LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BUFFER_INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private Words() {}

  static long getLe(byte[] bytes, int index) {
    return (long) LE_LONG.get(bytes, index);
  }

  static void putLe(byte[] bytes, int index, long value) {
    LE_LONG.set(bytes, index, value);
  }

  static void putBe(byte[] bytes, int index, long value) {
    BE_LONG.set(bytes, index, value);
  }

  static int getLeInt(byte[] bytes, int index) {
    return (int) LE_INT.get(bytes, index);
  }

  static void putLeInt(byte[] bytes, int index, int value) {
    LE_INT.set(bytes, index, value);
  }

  static int getLeInt(ByteBuffer buffer, int index) {
    return (int) BUFFER_INT.get(buffer, index);
  }

  static void putLeInt(ByteBuffer buffer, int index, int value) {
    BUFFER_INT.set(buffer, index, value);
  }

  static long getLe(ByteBuffer buffer, int index) {
    return (long) BUFFER_LONG.get(buffer, index);
  }

  static void putLe(ByteBuffer buffer, int index, long value) {
    BUFFER_LONG.set(buffer, index, value);
  }
}
