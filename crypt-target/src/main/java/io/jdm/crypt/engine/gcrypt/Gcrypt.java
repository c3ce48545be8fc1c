package io.jdm.crypt.engine.gcrypt;

import com.kenai.jffi.MemoryIO;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.key.KeyMaterial;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jnr.ffi.LibraryLoader;

/** The loaded library, its constants, and its handles. Thread-safe; handles are not. */
final class Gcrypt {
  static final int MODE_CFB = 2;
  static final int MODE_CBC = 3;
  static final int MODE_XTS = 13;

  private static final String SONAME = "libgcrypt.so.20";
  private static final String MINIMUM_VERSION = "1.8.0";
  private static final int CONTROL_INITIALIZATION_FINISHED = 38;
  private static final int CONTROL_ALLOW_WEAK_KEY = 79;
  private static final int CACHE_LINE = 64;
  private static final int ERROR_CODE = 0xffff;
  private static final int ERROR_WEAK_KEY = 43;

  /** {@code enum gcry_cipher_algos}: cipher and bytes of its key, to the number. */
  private static final Map<String, Integer> ALGORITHMS =
      Map.ofEntries(
          Map.entry("aes 16", 7),
          Map.entry("aes 24", 8),
          Map.entry("aes 32", 9),
          Map.entry("serpent 32", 306),
          Map.entry("twofish 16", 303),
          Map.entry("twofish 32", 10),
          Map.entry("camellia 16", 310),
          Map.entry("camellia 24", 311),
          Map.entry("camellia 32", 312),
          Map.entry("aria 16", 319),
          Map.entry("aria 24", 320),
          Map.entry("aria 32", 321),
          Map.entry("sm4 16", 318),
          Map.entry("cast5 16", 3),
          Map.entry("des 8", 302),
          Map.entry("des3_ede 24", 2));

  /** One number for all of Blowfish's key sizes. */
  private static final int BLOWFISH = 4;

  private final LibGcrypt library;
  private final String version;
  private final Map<String, Boolean> usable = new ConcurrentHashMap<>();

  private Gcrypt(LibGcrypt library, String version) {
    this.library = library;
    this.version = version;
  }

  /**
   * Finds and initialises the library.
   *
   * @throws EngineException if it is too old
   * @throws LinkageError if it, or jnr-ffi, is not there
   */
  static Gcrypt load() throws EngineException {
    LibGcrypt library = LibraryLoader.create(LibGcrypt.class).failImmediately().load(SONAME);
    String version = library.gcry_check_version(MINIMUM_VERSION);
    if (version == null) {
      throw new EngineException(
          "it is version " + library.gcry_check_version(null) + ", XTS needs " + MINIMUM_VERSION);
    }
    library.gcry_control(CONTROL_INITIALIZATION_FINISHED, 0);
    return new Gcrypt(library, version);
  }

  String version() {
    return version;
  }

  LibGcrypt library() {
    return library;
  }

  /** Whether this build of the library takes keys of so many bytes for the cipher. */
  boolean has(String cipher, int keySize) {
    return usable.computeIfAbsent(cipher + " " + keySize, name -> tryOut(cipher, keySize));
  }

  private boolean tryOut(String cipher, int keySize) {
    if (algorithm(cipher, keySize) == 0) {
      return false;
    }
    byte[] key = new byte[keySize];
    for (int i = 0; i < keySize; i++) {
      key[i] = (byte) (i + 1);
    }
    try (KeyMaterial sample = KeyMaterial.moveFrom(key)) {
      library.gcry_cipher_close(open(cipher, keySize, MODE_CFB, sample));
      return true;
    } catch (EngineException e) {
      return false;
    }
  }

  /** The library's number, or 0. */
  private static int algorithm(String cipher, int keySize) {
    return cipher.equals("blowfish")
        ? BLOWFISH
        : ALGORITHMS.getOrDefault(cipher + " " + keySize, 0);
  }

  /**
   * Opens a handle and sets its key. A key that the library thinks weak is set all the same: so
   * does the kernel.
   *
   * @param cipher that {@link #has} said is there
   * @param keySize bytes of the block cipher's key
   * @param key as the mode wants it
   */
  long open(String cipher, int keySize, int mode, KeyMaterial key) throws EngineException {
    ByteBuffer result = allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    check(library.gcry_cipher_open(address(result), algorithm(cipher, keySize), mode, 0));
    long handle = result.getLong(0);
    boolean done = false;
    try {
      int weakKeyRefused = library.gcry_cipher_ctl(handle, CONTROL_ALLOW_WEAK_KEY, 0, 1);
      int error = library.gcry_cipher_setkey(handle, address(key.exposeBuffer()), key.size());
      if ((error & ERROR_CODE) != ERROR_WEAK_KEY || weakKeyRefused != 0) {
        check(error);
      }
      done = true;
    } finally {
      Reference.reachabilityFence(key);
      if (!done) {
        library.gcry_cipher_close(handle);
      }
    }
    return handle;
  }

  /** Throws what the library says about an error number other than 0. */
  void check(int error) throws EngineException {
    if (error != 0) {
      throw new EngineException("libgcrypt " + version + ": " + library.gcry_strerror(error));
    }
  }

  /** Where a direct buffer's byte 0 lies; valid while the buffer is reachable. */
  static long address(ByteBuffer direct) {
    return MemoryIO.getInstance().getDirectBufferAddress(direct);
  }

  /** Zeros outside the heap, aligned to a cache line, little endian. */
  static ByteBuffer allocate(int size) {
    int whole = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return ByteBuffer.allocateDirect(whole + CACHE_LINE)
        .alignedSlice(CACHE_LINE)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  static void wipe(ByteBuffer buffer) {
    for (int i = 0; i < buffer.capacity(); i++) {
      buffer.put(i, (byte) 0);
    }
  }
}
